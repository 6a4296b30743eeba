// The cgroup (version 2) of one tree, a leaf made for it alone: made, entered at birth, killed as one, asked
// whether anything lives in it, removed. All that a stop needs is open from the start.
//
// Its name says whose it is, and its keeper holds a lock on it: one whose host has died and that nobody locks
// was left by a host, supervisor and keeper that were killed together.
#pragma once

#include <sys/types.h>

#include "core/cgroup_place.h"
#include "core/unique_fd.h"

namespace procleash {

// -1: no limit.
struct CgroupLimits {
  int64_t memory;     // bytes
  int64_t processes;  // tasks: threads count
  int64_t cpu;        // microseconds of CPU time in each kCpuPeriod
};
constexpr int64_t kCpuPeriod = 100'000;  // us, the kernel's own default

struct Leaf {
  UniqueFd directory;
  UniqueFd kill;    // cgroup.kill
  UniqueFd events;  // cgroup.events; POLLPRI when it changes

  bool valid() const { return events.valid(); }
};

// What failed while a leaf was made.
enum class LeafStep : uint8_t { kNone, kMake, kMemory, kProcesses, kCpu };
struct LeafFailure {
  LeafStep step = LeafStep::kNone;
  int number = 0;
};

// Makes it, locks it and sets the limits. After a failure nothing is left of it.
LeafFailure make_leaf(const char* path, const CgroupLimits& limits, Leaf* out);
// One that is there. False with errno.
bool open_leaf(const char* path, Leaf* out);

// Moves the calling process into it. 0, or the errno.
int enter_leaf(int directory);

// SIGKILL to everything in it and below: no fork escapes, frozen ones die too (cgroups(7), cgroup.kill).
bool kill_leaf(const Leaf& leaf);

// Whether a process that is no zombie is in it or below. One that was removed had none.
bool leaf_populated(const Leaf& leaf);

// How many of its processes the kernel has killed for want of memory; 0 without the memory controller.
uint32_t leaf_oom_kills(const Leaf& leaf);

// Calls visit for each process in it and below, zombies left out.
using VisitMember = void (*)(void* context, pid_t pid);
void for_each_member(const Leaf& leaf, VisitMember visit, void* context);

// Removes it with the empty cgroups that its processes made below it. False with errno: EBUSY while one
// lives.
bool remove_leaf(const char* path);

// "procleash-<pid namespace>-<pid>-<start time>-", the begin of the names of a host's leaves. Empty where
// this process can't tell.
using LeafPrefix = TextBuffer<96>;
void leaf_prefix(int proc, pid_t host, LeafPrefix* out);

// Ends and removes the leaves in this folder that nobody answers for any more.
void clear_abandoned(int proc, const char* place);

}  // namespace procleash
