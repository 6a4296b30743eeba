// Which processes may be stopped at all: never the host, what it descends from, or, unless asked for, others
// of its process group.
#pragma once

#include "foreign/foreign_tree.h"

namespace procleash {

// As JavaScript knows them; negative, past every errno. -errno where a process can't be looked at for want of
// descriptors or memory.
enum class Refusal : int32_t {
  kNone = 0,
  kGone = -1001,
  kAnother = -1002,  // the number belongs to a process with another start time
  kHost = -1003,
  kAncestor = -1004,
  kGroup = -1005,
  kNumber = -1006,  // 0, 1, or negative
  kProcfs = -1007,  // /proc is another PID namespace's, or missing
};

// Fills in what must never be hit. `t->proc` and features are set. Gives an errno, or 0.
int find_never(ForeignTree* t);

// Whether the process may be stopped, and what it is. `start` as a proof of identity, or -1. Of a process in
// the host's own group only what descends from the host, unless `group_mates` are allowed.
Refusal check_target(const ForeignTree& t, int64_t pid, int64_t start, bool group_mates, Process* out);

// The process of that number, be it the host itself: for looking only.
Refusal find_target(const ForeignTree& t, int64_t pid, Process* out);

}  // namespace procleash
