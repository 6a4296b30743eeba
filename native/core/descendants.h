// Who belongs to a tree now: every process whose chain of parents leads to the root. Works in a table that
// the caller owns, allocates nothing. What it finds is a picture, not a proof: a process may fork or end
// while it is taken.
#pragma once

#include "core/features.h"
#include "core/proc.h"

namespace procleash {

// Null where no process of the table, which is sorted by pid, has the number.
Process* find_process(Span<Process> sorted, pid_t pid);
void sort_processes(Span<Process> processes);

struct Descendants {
  Span<Process> table;  // the caller's
  size_t count = 0;
  bool truncated = false;  // the table was too small

  Span<Process> found() const { return Span<Process>{table.data, count}; }
  // The table must have been sorted. Null where the pid is not in it.
  Process* find(pid_t pid) const;
  void sort_by_pid();
  // Closes what the picture holds.
  void release();
};

using Spares = bool (*)(pid_t child);

struct Search {
  int proc;
  pid_t root;
  // Children of the root that are left out, with all below them.
  Spares spares = nullptr;
  // Whoever is in this process group (0: none) is found to be by getpgid(2), for a twentieth of what its stat
  // costs, and is left bare. It must be the tree's own, and its leader the leader of its session.
  pid_t group = 0;
  // So many others may be left bare as well, each held by a pidfd that PIDFD_GET_INFO has proved to be a
  // child of the tree. They are for signals without another proof, and the caller's to release.
  size_t most_held = 0;
  // open_loadavg, and the list of the root's children; -1 where they are not open yet.
  int loadavg = -1;
  int own_children = -1;
};

// What collect_descendants looks at twice. Not valid where it can't be opened: that is no error.
UniqueFd open_loadavg(int proc);

// Fills `out` with the descendants of the root, without the root itself, zombies included.
//
// The children lists are read first: they cost only what the tree costs, where a scan costs what the whole
// system does (10 us a process, feasibility Q6). They are exact when nothing is forked or reaped meanwhile
// (proc_tid_children(5)). That is known where the system's counters and the root's own list stood still, or
// else where a second reading agrees with the first. If it does not, or the kernel has no lists, the whole of
// /proc is scanned by parent, and what either way found is kept.
//
// Where the tree is a large part of the system, a scan is cheaper than its lists, and as exact while the
// counters stand still.
void collect_descendants(const Search& search, const Features& features, Descendants* out);

enum class Escape : uint8_t { kNone = 0, kGroup = 1, kSession = 2, kDaemon = 3 };

// How a process of the tree left its command's group.
Escape escape_of(const Process& process, pid_t leader, pid_t keeper);

}  // namespace procleash
