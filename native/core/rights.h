// What a command may do less than its host: user, groups, capabilities, no_new_privs. Taken on by the child
// between fork and exec, so by system calls alone: the C library's setuid(3) would speak to every thread.
#pragma once

#include <sys/types.h>

#include "core/base.h"

namespace procleash {

constexpr uint32_t kRightsUid = 1;
constexpr uint32_t kRightsGid = 2;
constexpr uint32_t kRightsGroups = 4;
constexpr uint32_t kRightsKeep = 8;   // `capabilities` and no others
constexpr uint32_t kRightsDrop = 16;  // none of `capabilities`
constexpr uint32_t kRightsNoNewPrivileges = 32;
constexpr uint32_t kRightsFlags = 63;

constexpr uint32_t kMaxGroups = 64;

// Part of the wire format: see SpawnHead.
struct Rights {
  uint32_t flags;
  uint32_t uid;
  uint32_t gid;
  uint32_t group_count;
  uint64_t capabilities;  // bit by the number of capabilities(7)
  uint32_t groups[kMaxGroups];
};
static_assert(sizeof(Rights) == 280, "part of the wire format");

bool is_valid(const Rights& rights);

enum class RightsStep : uint8_t {
  kNone,
  kStop,  // the caller could not stop what it is about to start
  kGroups,
  kGid,
  kBoundingSet,
  kUid,
  kCapabilities,
  kNoNewPrivileges,
};

struct RightsFailure {
  RightsStep step = RightsStep::kNone;
  int number = 0;
};

// Changes the calling thread, in the one order in which each step still has the rights that it takes. After a
// failure the thread has some of the new rights and is of no use but to end.
RightsFailure take_on(const Rights& rights);

}  // namespace procleash
