// One picture of all processes, in memory that is used again for the next one.
#pragma once

#include "core/clock.h"
#include "core/descendants.h"

namespace procleash {

struct Snapshot {
  Process* table = nullptr;
  size_t count = 0;
  size_t room = 0;
  // What stood in the way of a whole picture (too many open files, no memory), or 0. A picture with an error
  // must not be taken for proof that something is gone.
  int error = 0;
  Nanos cost = 0;  // how long it took

  Span<Process> processes() const { return Span<Process>{table, count}; }
};

// Sorted by pid; marks cleared.
void take_snapshot(int proc, Snapshot* s);
// Memory for so many processes, so that none is asked for later. False without it.
bool reserve_snapshot(Snapshot* s, size_t room);
void free_snapshot(Snapshot* s);

}  // namespace procleash
