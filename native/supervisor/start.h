// The start of a tree: its cgroup, where it has one, and the command in it; and the end of that cgroup.
#pragma once

#include "core/spawn.h"
#include "supervisor/lease.h"
#include "supervisor/tree.h"

namespace procleash {

struct StartFailure {
  SpawnStep step = SpawnStep::kNone;
  int number = 0;
};

// Starts the command with the descriptors that came by the lease. After a failure nothing is left, no cgroup
// either.
StartFailure start_tree(Tree* t, const SpawnRequest& request, const Lease& lease);

// Removes the cgroup of a tree that has ended. One that can't be removed yet is left to whoever clears up
// later.
void remove_cgroup(Tree* t);

}  // namespace procleash
