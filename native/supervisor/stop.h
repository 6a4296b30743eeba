// A stop, carried out by the clock: first signal, patience, SIGKILL in rounds, and the point where survivors
// are named. Holds the times; the keeper's loop asks what is due.
#pragma once

#include "core/stop_plan.h"
#include "supervisor/tree.h"

namespace procleash {

struct Stop {
  Reason reason = Reason::kExit;
  int signal = 0;
  Nanos requested = 0;
  Nanos deadline = kNever;
  Nanos kill_at = kNever;
  bool escalated = false;

  // The last round of SIGKILL: when the next is due, how many it hit, how many had been reaped before it.
  Nanos next_round = 0;
  Nanos round_gap = 0;
  size_t round_hits = 0;
  size_t reaped_before = 0;

  Nanos killing_since = kNever;  // the first of them
  Nanos stuck_since = kNever;    // since when only what can't be killed was seen
};

// Takes the picture, counts, signals. The picture comes before the first signal, so that a helper that a
// program starts because of the signal is left its part of the budget.
void begin_stop(Stop* stop, Tree* t);

// A round of SIGKILL, if one is due.
void continue_killing(Stop* stop, Tree* t);

// Past the deadline: whether to name the survivors now.
bool given_up(Stop* stop, Tree* t, Nanos time);

}  // namespace procleash
