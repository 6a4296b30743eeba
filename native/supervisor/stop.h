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
  bool guessed = false;  // kill_at goes by a picture that took zombies for alive

  // Rounds of SIGKILL so far. The last one: when the next is due, how many it hit, how many of them had been
  // born since the pictures, how many had been reaped before it.
  uint32_t rounds = 0;
  Nanos next_round = 0;
  Nanos round_gap = 0;
  size_t round_hits = 0;
  size_t newcomers = 0;
  size_t reaped_before = 0;

  Nanos killing_since = kNever;  // the first of them
  Nanos stuck_since = kNever;    // since when only what can't be killed was seen
};

// Takes the picture, counts, signals. The picture comes before the first signal, so that a helper that a
// program starts because of the signal is left its part of the budget.
void begin_stop(Stop* stop, Tree* t);

// At kill_at: whether so few are left, or were there at all, that SIGKILL may begin later. Sets kill_at anew.
bool may_wait(Stop* stop, Tree* t);

// A round of SIGKILL, if one is due.
void continue_killing(Stop* stop, Tree* t);

// Past the deadline: whether to name the survivors now.
bool given_up(Stop* stop, Tree* t, Nanos time);

}  // namespace procleash
