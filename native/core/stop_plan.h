// When SIGKILL must begin, and how long what it does not end is waited for. One plan for both that carry out
// stops: the keeper, and the host for a tree that it did not start.
#pragma once

#include "core/base.h"
#include "core/clock.h"

namespace procleash {

// The kill phase takes 30 to 60 ms for 1,000 small processes and up to 290 ms for 1,000 interpreters on a
// busy 2-core machine (their memory is taken down in it). That is kept back, and at least what such a machine
// may take to run the keeper at all.
constexpr Nanos kReserve = 30 * kMillisecond;
constexpr Nanos kReservePerProcess = kMillisecond * 3 / 10;
// Past the budget, how long a tree that can be killed may still take before it counts as surviving. Also from
// the first SIGKILL, which comes late from whoever did not run in time (a busy machine, a paused container):
// what it hits has to run as well to end.
constexpr Nanos kOverrun = kSecond;
// How long all that is left must be seen in uninterruptible sleep.
constexpr Nanos kUninterruptible = 150 * kMillisecond;

// Rounds of SIGKILL: the gap after one that made progress, and the longest after those that made none.
constexpr Nanos kFirstGap = kMillisecond;
constexpr Nanos kLongestGap = 20 * kMillisecond;

// When SIGKILL must begin for the tree to be empty at the deadline.
inline Nanos kill_time(Nanos requested, Nanos deadline, size_t members) {
  const Nanos budget = deadline - requested;
  Nanos reserve = kReserve + static_cast<Nanos>(members) * kReservePerProcess;
  // A small budget is shared: without its part of grace the first signal would be for nothing.
  reserve = min(reserve, budget * 7 / 10);
  return deadline - reserve;
}

// What is left of a tree in its kill phase.
enum class Left : uint8_t {
  kKillable,
  kStuck,      // all that is left sleeps uninterruptibly, or is forbidden to us
  kForbidden,  // all that is left may not be signalled by us
};

// Past the deadline: whether to name the survivors now. At once where all that is left is forbidden to us;
// after a while where it sleeps uninterruptibly, which a dying process does too, for moments; after kOverrun
// in any case. `stuck_since` is the caller's memory, kNever at first.
inline bool given_up(Left left, Nanos deadline, Nanos killing_since, Nanos time, Nanos* stuck_since) {
  if (left == Left::kForbidden) return true;
  if (left != Left::kStuck) {
    *stuck_since = kNever;
    return time >= later(max(deadline, killing_since), kOverrun);
  }
  *stuck_since = min(*stuck_since, time);
  return time >= *stuck_since + kUninterruptible;
}

}  // namespace procleash
