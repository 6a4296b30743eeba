// Our own children, found without a new descriptor or memory: whoever has to end them must not need one.
#pragma once

#include "core/features.h"
#include "core/proc.h"
#include "core/unique_fd.h"

namespace procleash {

struct OwnChildren {
  UniqueFd fd;       // opened early; not valid without a /proc of our own
  bool all = false;  // it is /proc itself: the kernel has no list of children
};

// Of the calling thread, to be used by it alone: a fork has to open its own. 0, or the errno of a shortage:
// what can't be opened for other reasons is done without.
int open_own_children(int proc, const Features& features, OwnChildren* out);

// Calls visit for each child, zombies included. False where they can't be listed.
bool for_each_own_child(const OwnChildren& children, VisitPid visit, void* context);

}  // namespace procleash
