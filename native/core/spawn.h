// Starts a command as leader of its own session and process group, with exactly three descriptors, a clean
// signal state, and a parent-death signal from the caller. The caller must be single-threaded with every
// signal blocked and every disposition at its default: the child shares its memory until exec (vfork).
#pragma once

#include <sys/types.h>

#include "core/features.h"
#include "core/rights.h"
#include "core/unique_fd.h"

namespace procleash {

enum class SpawnStep : uint8_t {
  kNone = 0,
  kStdio = 1,
  kChdir = 2,
  kExec = 3,
  kFork = 4,
  kMalformed = 5,
  kVersion = 6,
  kLost = 7,
  kSession = 8,
  kCgroup = 9,
  kLimitMemory = 10,
  kLimitProcesses = 11,
  kLimitCpu = 12,
  kGroups = 13,
  kGid = 14,
  kBoundingSet = 15,
  kUid = 16,
  kCapabilities = 17,
  kNoNewPrivileges = 18,
  kUnstoppable = 19,
};

struct SpawnPlan {
  const char* file;
  char* const* argv;
  char* const* envp;
  const char* cwd;  // null: stay in directory
  int directory;    // where relative paths start; -1: the caller's own
  int stdio[3];     // -1: /dev/null
  int cgroup;       // directory of the cgroup to be born in; -1: the caller's own
  const Rights* rights;
};

struct Spawned {
  pid_t pid = 0;
  UniqueFd pidfd;  // not valid where the kernel has none
  int number = 0;  // errno of the step that failed
  SpawnStep step = SpawnStep::kNone;
};

// Returns when the command's exec has succeeded or failed. After a failure no child is left.
Spawned spawn(const SpawnPlan& plan, const Features& features);

}  // namespace procleash
