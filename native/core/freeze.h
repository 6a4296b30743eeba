// The end of what forks faster than rounds of SIGKILL find it: all of it is stopped first, then killed. A
// stopped process forks no more, and it keeps its place below a limit of processes, where a killed one makes
// room for the next.
#pragma once

#include "core/features.h"
#include "core/proc.h"

namespace procleash {

// Whether a child of the root is to be left alone, with all below it.
using Spares = bool (*)(pid_t pid);

// SIGSTOP to all descendants of `root`, again and again until a look finds nobody new, then SIGKILL to each
// that was found. Bounded by tens of milliseconds: who is born after that is found by the next call. `spares`
// may be null. Each process is proved ours by its parent and its start time. Needs descriptors and the
// children lists (proc_tid_children(5)): without them it does nothing.
void freeze_and_kill(int proc, const Features& features, pid_t root, Spares spares);

// Whether the last call has found one of this number.
bool was_frozen(pid_t pid);

}  // namespace procleash
