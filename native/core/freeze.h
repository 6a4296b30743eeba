// The end of what forks faster than rounds of SIGKILL find it: all of it is stopped first, then killed. A
// stopped process forks no more, and it keeps its place below a limit of processes, where a killed one makes
// room for the next.
#pragma once

#include "core/descendants.h"

namespace procleash {

// SIGSTOP to all descendants of `root`, again and again until a look finds nobody new, then SIGKILL to each
// that was found. Bounded by tens of milliseconds: who is born after that is found by the next call. `spares`
// as for collect_descendants. Each process is proved ours by its parent and its start time. Needs
// descriptors.
void freeze_and_kill(int proc, const Features& features, pid_t root, Spares spares);

// Whether the last call has found one of this number.
bool was_frozen(pid_t pid);

}  // namespace procleash
