// The parsers of bytes that we did not write, one target each: called by libFuzzer (fuzzer.cc) to look for
// faults, and by replay.cc with the inputs of test/fuzz/corpus. A target gets bytes that nothing may be read
// beside; it stops by must() where a parser gives what its contract excludes.
#pragma once

#include "core/base.h"

namespace procleash {

void fuzz_stat(Span<const char> input);      // /proc/PID/stat
void fuzz_children(Span<const char> input);  // children lists, names of /proc
void fuzz_environ(Span<const char> input);   // /proc/PID/environ
void fuzz_cgroup(Span<const char> input);    // mountinfo, /proc/self/cgroup, cgroup.events, names of cgroups
void fuzz_births(Span<const char> input);    // messages of the process events connector
void fuzz_spawn(Span<const char> input);     // the payload of a spawn request
void fuzz_lease(Span<const char> input);     // host to keeper: the stream of frames, with descriptors
void fuzz_reply(Span<const char> input);     // keeper to host

struct Target {
  const char* name;
  void (*run)(Span<const char> input);
};
constexpr Target kTargets[] = {
    {"stat", fuzz_stat},     {"children", fuzz_children}, {"environ", fuzz_environ}, {"cgroup", fuzz_cgroup},
    {"births", fuzz_births}, {"spawn", fuzz_spawn},       {"lease", fuzz_lease},     {"reply", fuzz_reply},
};

inline const Target* find_target(const char* name) {
  for (const Target& target : kTargets) {
    if (name != nullptr && __builtin_strcmp(target.name, name) == 0) return &target;
  }
  return nullptr;
}

inline void must(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace procleash
