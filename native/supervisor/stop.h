// A stop, carried out by the clock: first signal, patience, SIGKILL in rounds, and the point where survivors
// are named. Holds the times; the keeper's loop asks what is due.
#pragma once

#include "supervisor/tree.h"

namespace procleash {

// The kill phase takes 30 to 60 ms for 1,000 small processes and up to 290 ms for 1,000 interpreters on a
// busy 2-core machine (their memory is taken down in it). That is kept back, and at least what such a machine
// may take to run the keeper at all.
constexpr Nanos kReserve = 30 * kMillisecond;
constexpr Nanos kReservePerProcess = kMillisecond * 3 / 10;
// Past the budget, how long a tree that can be killed may still take before it counts as surviving.
constexpr Nanos kOverrun = kSecond;
// How long all that is left must be seen in uninterruptible sleep.
constexpr Nanos kUninterruptible = 150 * kMillisecond;

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

  Nanos stuck_since = kNever;  // since when only what can't be killed was seen
};

// When SIGKILL must begin for the tree to be empty at the deadline.
Nanos kill_time(Nanos requested, Nanos deadline, size_t members);

// Takes the picture, counts, signals. The picture comes before the first signal, so that a helper that a
// program starts because of the signal is left its part of the budget.
void begin_stop(Stop* stop, Tree* t);

// A round of SIGKILL, if one is due.
void continue_killing(Stop* stop, Tree* t);

// Past the deadline: whether to name the survivors now. At once where all that is left is forbidden to us;
// after a while where it sleeps uninterruptibly, which a dying process does too, for moments; after kOverrun
// in any case.
bool given_up(Stop* stop, Tree* t, Nanos time);

}  // namespace procleash
