#include "supervisor/stop.h"

#include <errno.h>
#include <signal.h>

namespace procleash {
namespace {

// Where numbers are given again soon, a newcomer may look like one that is known. It is found after so many
// rounds; sooner where more has ended than lived.
constexpr uint32_t kPlainRounds = 32;
constexpr uint32_t kFewRounds = 8;

bool may_fork_on(const Stop& stop, const Tree& t) {
  if (stop.newcomers > 0) return true;
  return stop.rounds % (t.reaped_living > t.living_at_stop ? kFewRounds : kPlainRounds) == 0;
}

Left look_at_what_is_left(Tree* t) {
  look_again(t);
  size_t forbidden = 0;
  size_t sleeping = 0;
  for (const Process& process : t->current.found()) {
    if (!process.alive()) continue;
    if (kill(process.pid, 0) != 0 && errno == EPERM) {
      forbidden++;
    } else if (process.state == 'D') {
      sleeping++;
    } else {
      return Left::kKillable;
    }
  }
  if (sleeping > 0) return Left::kStuck;
  // None seen is no proof of anything: one that forks and ends all the time is easily missed.
  return forbidden > 0 ? Left::kForbidden : Left::kKillable;
}

}  // namespace

void begin_stop(Stop* stop, Tree* t) {
  look_for_stop(t, group_reachable(*t));
  begin_counting(t);
  stop->kill_at = kill_time(stop->requested, stop->deadline, t->living_at_stop);
  if (stop->signal == SIGKILL || stop->deadline <= stop->requested) {
    stop->kill_at = stop->requested;
  } else {
    // A signal waits in a stopped process: the handler runs once it is continued, and not before the signal
    // is there.
    const int signals[2] = {stop->signal, SIGCONT};
    signal_members(t, t->members, Span<const int>{signals, 2});
    stop->guessed = t->living_at_stop > kMaxArgvRead;
  }
  t->members.release();
  // Only now, off the path to the first signal: what is reaped from here on is looked up by number.
  t->members.sort_by_pid();
}

bool may_wait(Stop* stop, Tree* t) {
  if (!stop->guessed) return false;
  stop->guessed = false;
  look_again(t);
  size_t living = 0;
  for (const Process& process : t->current.found()) {
    if (process.alive()) living++;
  }
  stop->kill_at = kill_time(stop->requested, stop->deadline, living);
  return now() < stop->kill_at;
}

void continue_killing(Stop* stop, Tree* t) {
  const Nanos time = now();
  const size_t reaped = t->reaped_count - stop->reaped_before;
  // Everything that the last round hit is gone, so that its orphans are ours by now: no need to wait.
  const bool collapsed = stop->round_hits > 0 && reaped >= stop->round_hits;
  if (time < stop->next_round && !collapsed) return;
  const bool progress = !stop->escalated || reaped > 0;
  stop->escalated = true;
  stop->killing_since = min(stop->killing_since, time);
  stop->reaped_before = t->reaped_count;
  stop->rounds++;
  if (may_fork_on(*stop, *t)) freeze_round(t);
  const Hits hits = kill_round(t);
  stop->round_hits = hits.seen;
  stop->newcomers = hits.newcomers;
  // Rounds have passed in which nothing ended: somebody can't be ended, and what is below has to be found.
  if (!progress && stop->round_gap > kFirstGap) kill_seen(t);
  stop->round_gap = progress ? kFirstGap : min(stop->round_gap * 3 / 2, kLongestGap);
  stop->next_round = time + stop->round_gap;
}

bool given_up(Stop* stop, Tree* t, Nanos time) {
  return given_up(look_at_what_is_left(t), stop->deadline, stop->killing_since, time, &stop->stuck_since);
}

}  // namespace procleash
