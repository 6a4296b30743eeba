// Who belongs to the tree of a process that we did not start, in one picture of /proc. Without a subreaper
// above it, an orphan's parent says nothing: besides the parents, sessions and groups tie it to the tree, as
// they pass on by fork only. Pure functions over a table; what they find is a picture, never a proof.
#pragma once

#include "core/descendants.h"

namespace procleash {

// Values of Process::mark.
constexpr uint8_t kMarkNone = 0;
constexpr uint8_t kMarkKin = 1;
constexpr uint8_t kMarkNever = 2;  // never to be taken for kin: the host, its ancestors

// The group and session that tie nothing, whoever leads them: the host's own. 0: none.
struct NoTie {
  pid_t group = 0;
  pid_t session = 0;
};

// Marks all that is tied, over any number of steps, to what is marked as kin already: its children, and all
// of a session or group that it leads. The table is sorted by pid.
void spread_kin(Span<Process> scan, const NoTie& no_tie);

// How a process of the tree left the group of its root. `orphan`: its parent is no member.
Escape escape_from_root(const Process& process, pid_t group, pid_t session, bool orphan);

// How a process of the tree left the group of its parent; an orphan is compared with the root.
Escape escape_from_parent(Span<Process> scan, const Process& process, const Process& root);

}  // namespace procleash
