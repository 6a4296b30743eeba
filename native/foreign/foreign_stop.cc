#include "foreign/foreign_stop.h"

#include <signal.h>

#include "foreign/foreign_signals.h"

namespace procleash {
namespace {

// A tree that forks all the time never stands still: then the first signal goes to those that were seen.
constexpr uint32_t kMostLooks = 10;
// And no more than this part of the budget is spent on looking.
constexpr Nanos kLookingShare = 8;
// Pictures that must agree before anything is concluded.
constexpr uint32_t kAgreeing = 2;
constexpr Nanos kLongestWait = 10 * kMillisecond;
// Rounds of SIGSTOP that may go before one of SIGKILL.
constexpr int kMostFreezes = 4;
// However many processes the system has, pictures take up at most a third of a core.
constexpr Nanos kRestPerCost = 2;

bool kills_at_once(const ForeignStop& stop) {
  return stop.signal == SIGKILL || stop.deadline <= stop.requested;
}

// A picture takes as long as the system is large, the end needs two, and what is killed was stopped one
// before: they are kept back as well. The cheapest is the measure: the others tell of other work, which must
// not cost the tree its grace.
Nanos killing_from(const ForeignStop& stop, const ForeignTree& t) {
  const Nanos pictures = min(stop.cheapest * (kAgreeing + 1), (stop.deadline - stop.requested) / 4);
  return kill_time(stop.requested, stop.deadline - pictures, t.living);
}

Left what_is_left(const ForeignTree& t) {
  if (t.hidden_groups > 0) return Left::kKillable;
  size_t sleeping = 0;
  for (const Member& m : t.found()) {
    if (!m.alive || m.forbidden) continue;
    if (m.last.state != 'D') return Left::kKillable;
    sleeping++;
  }
  return sleeping > 0 ? Left::kStuck : Left::kForbidden;
}

// Who is killed before a picture has shown its newest child loses it: orphaned, in a session of its own, that
// one is tied to nothing. A stopped parent stays, and forks no more: see core/freeze.h. One process alone is
// spared the sight of it, which a shell would tell its user of.
bool freezes_first(ForeignStop* stop, ForeignTree* t) {
  if (t->living < 2 || stop->freezes == kMostFreezes || freeze_members(t) == 0) return false;
  stop->freezes++;
  stop->escalated = true;
  stop->next = now();
  return true;
}

void kill_round(ForeignStop* stop, ForeignTree* t, Nanos time) {
  if (freezes_first(stop, t)) return;
  stop->freezes = 0;
  const bool progress = stop->rounds == 0 || t->living < stop->living_before;
  stop->living_before = t->living;
  stop->gap = progress ? kFirstGap : min(stop->gap * 3 / 2, kLongestGap);
  if (kill_members(t, stop->rounds++ > 0) > 0) stop->escalated = true;
  stop->killing_since = min(stop->killing_since, time);
  if (time >= stop->deadline &&
      given_up(what_is_left(*t), stop->deadline, stop->killing_since, time, &stop->stuck_since)) {
    stop->phase = StopPhase::kEnded;
  }
  stop->next = now() + stop->gap;
}

// One empty picture proves nothing: what moves while it is taken may not be in it.
void conclude_empty(ForeignStop* stop, ForeignTree* t, Nanos time) {
  stop->next = time;
  stop->empty_pictures++;
  if (stop->empty_pictures < kAgreeing) return;
  if (t->zombie_groups == 0 || stop->swept) {
    stop->phase = StopPhase::kEnded;
    return;
  }
  // Zombies that nobody reaps make their group look as if it had somebody. Maybe it has, too fast for any
  // picture: SIGKILL is nothing to zombies, and certain for all else in the group.
  kill_zombie_groups(t);
  stop->swept = true;
  stop->empty_pictures = 0;
}

void begin_killing(ForeignStop* stop, ForeignTree* t, Nanos time) {
  stop->phase = StopPhase::kKilling;
  kill_round(stop, t, time);
}

void look(ForeignStop* stop, ForeignTree* t, size_t added, Nanos time) {
  if (kills_at_once(*stop)) return begin_killing(stop, t, time);
  stop->looks++;
  const bool still = added == 0 && stop->looks >= kAgreeing;
  const bool enough = stop->looks >= kMostLooks ||
                      time - stop->requested > (stop->deadline - stop->requested) / kLookingShare;
  stop->next = time;
  if (!still && !enough) return;
  ask_members(t, stop->signal);
  stop->phase = StopPhase::kWaiting;
  stop->kill_at = killing_from(*stop, *t);
  stop->gap = kFirstGap;
  stop->next = now() + stop->gap;
}

void wait(ForeignStop* stop, ForeignTree* t, const Snapshot& snapshot, Nanos time) {
  // A tree that grows needs more time to be killed in.
  stop->kill_at = min(stop->kill_at, killing_from(*stop, *t));
  if (time >= stop->kill_at) return begin_killing(stop, t, time);
  ask_missed(t, stop->signal);
  stop->gap = min(stop->gap * 3 / 2, kLongestWait);
  stop->next = min(time + max(stop->gap, snapshot.cost * kRestPerCost), stop->kill_at);
}

// No picture is to be had (too many open files): what is known is still acted on, nothing is concluded.
void step_blindly(ForeignStop* stop, ForeignTree* t, Nanos time) {
  stop->next = time + kLongestWait;
  stop->empty_pictures = 0;
  if (time < stop->deadline) return;
  if (kill_members(t, true) > 0) stop->escalated = true;
  stop->killing_since = min(stop->killing_since, time);
  if (time < later(max(stop->deadline, stop->killing_since), kOverrun)) return;
  stop->phase = StopPhase::kEnded;
  stop->blind = true;
}

}  // namespace

void step_stop(ForeignStop* stop, ForeignTree* t, const Snapshot& snapshot) {
  if (snapshot.error != 0) return step_blindly(stop, t, now());
  stop->cheapest = min(stop->cheapest, snapshot.cost);
  const size_t added = take_in(t, snapshot.processes());
  const Nanos time = now();
  if (t->living == 0 && t->hidden_groups == 0) return conclude_empty(stop, t, time);
  stop->empty_pictures = 0;
  stop->swept = false;
  switch (stop->phase) {
    case StopPhase::kLooking:
      return look(stop, t, added, time);
    case StopPhase::kWaiting:
      return wait(stop, t, snapshot, time);
    case StopPhase::kKilling:
      return kill_round(stop, t, time);
    case StopPhase::kEnded:
      return;
  }
}

void hasten_stop(ForeignStop* stop, Nanos requested, Nanos budget) {
  const Nanos deadline = requested + min(budget, kNever - requested);
  if (deadline >= stop->deadline) return;
  stop->deadline = deadline;
  stop->next = 0;
}

void reopen_stop(ForeignStop* stop, const ForeignTree& t) {
  const Nanos time = now();
  stop->empty_pictures = 0;
  stop->swept = false;
  stop->next = time + kFirstGap;
  const bool due = kills_at_once(*stop) || time >= kill_time(stop->requested, stop->deadline, t.living);
  if (due || stop->phase == StopPhase::kEnded) stop->phase = StopPhase::kKilling;
}

}  // namespace procleash
