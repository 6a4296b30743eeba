#include "supervisor/keeper_state.h"

#include "supervisor/report.h"
#include "supervisor/start.h"

namespace procleash {
namespace {

// If the host neither drains nor dies (it may be stopped itself), leftovers are stopped without it.
constexpr Nanos kDrainPatience = 3 * kSecond;
constexpr Nanos kSurvivorRound = kSecond;
// Most trees have ended by then: one message tells all.
constexpr Nanos kWordsTogether = 2 * kMillisecond;

// ECHILD says nothing of orphans that went to somebody else.
Proof proof_of_empty(const Tree& t) {
  if (t.leaf.valid()) return Proof::kCgroup;
  return t.features.subreaper ? Proof::kSubreaper : Proof::kNone;
}

void settle_empty(Keeper* k) {
  const Nanos end = now();
  SettledReport report{};
  report.childless = true;
  report.proof = proof_of_empty(tree);
  report.outcome = report.proof == Proof::kNone ? Outcome::kSurvivors : Outcome::kEmpty;
  report.reason = in_stop(*k) ? k->stop.reason : Reason::kExit;
  report.oom_kills = tree.leaf.valid() ? leaf_oom_kills(tree.leaf) : 0;
  report.escalated = k->stop.escalated;
  report.elapsed = end - (in_stop(*k) ? k->stop.requested : tree.leader_ended);
  k->state = KeeperState::kDone;
  remove_cgroup(&tree);
  say_settled(&k->lease, report, tree);
  k->lease.hold_until(0);
  k->lease.flush();
}

void settle_with_survivors(Keeper* k) {
  k->state = KeeperState::kSurviving;
  SettledReport report{};
  report.outcome = Outcome::kSurvivors;
  report.reason = k->stop.reason;
  report.proof = Proof::kNone;
  report.escalated = k->stop.escalated;
  report.elapsed = now() - k->stop.requested;
  report.oom_kills = tree.leaf.valid() ? leaf_oom_kills(tree.leaf) : 0;
  say_settled(&k->lease, report, tree);
}

// Leftovers count from the command's end, their budget from here.
void request_leftover_stop(Keeper* k) {
  const Nanos time = now();
  request_stop(k, Reason::kExit, time, k->budget);
  k->stop.requested = tree.leader_ended;
}

void tell_exit(Keeper* k) {
  if (k->exit_told || !tree.leader.reaped) return;
  k->exit_told = true;
  k->timeout_at = kNever;
  say_exited(&k->lease, tree.leader_status);
}

}  // namespace

bool in_stop(const Keeper& k) {
  return k.state == KeeperState::kStopping || k.state == KeeperState::kKilling ||
         k.state == KeeperState::kSurviving;
}

bool has_tree(const Keeper& k) { return k.state != KeeperState::kIdle && k.state != KeeperState::kDone; }

void request_stop(Keeper* k, Reason reason, Nanos requested, Nanos budget) {
  if (!has_tree(*k)) return;
  const Nanos deadline = later(requested, budget);
  if (in_stop(*k)) {
    if (deadline >= k->stop.deadline) return;
    k->stop.deadline = deadline;
    k->stop.kill_at = min(k->stop.kill_at, kill_time(requested, deadline, tree.living_at_stop));
    return;
  }
  k->state = KeeperState::kStopping;
  k->stop.reason = reason;
  k->stop.signal = k->stop_signal;
  k->stop.requested = requested;
  k->stop.deadline = deadline;
  begin_stop(&k->stop, &tree);
  k->lease.hold_until(now() + kWordsTogether);
  say_stopping(&k->lease, reason);
}

void after_drain(Keeper* k) {
  if (k->state != KeeperState::kDraining) return;
  k->drain_until = kNever;
  if (k->keep_leftovers) {
    k->state = KeeperState::kKept;
  } else {
    request_leftover_stop(k);
  }
}

void reap_and_judge(Keeper* k) {
  if (!has_tree(*k)) return;
  const Reaped reaped = reap(&tree);
  tell_exit(k);
  k->childless = reaped == Reaped::kEmpty;
  // A cgroup may hold what is nobody's child of ours: without a subreaper, or moved in from outside.
  if (k->childless && !(tree.leaf.valid() && leaf_populated(tree.leaf))) {
    settle_empty(k);
    return;
  }
  if (k->state == KeeperState::kRunning && tree.leader.reaped) {
    k->state = KeeperState::kDraining;
    k->drain_until = tree.leader_ended + kDrainPatience;
  }
}

void lose(Keeper* k, Reason reason) {
  if (k->state == KeeperState::kIdle) k->state = KeeperState::kDone;
  request_stop(k, reason, now(), k->budget);
}

void run_timers(Keeper* k) {
  const Nanos time = now();
  if (k->state == KeeperState::kRunning && time >= k->timeout_at) {
    request_stop(k, Reason::kTimeout, k->timeout_at, k->budget);
  }
  if (k->state == KeeperState::kDraining && time >= k->drain_until) after_drain(k);
  if (k->state == KeeperState::kStopping && time >= k->stop.kill_at && !may_wait(&k->stop, &tree)) {
    k->state = KeeperState::kKilling;
  }
  if (k->state == KeeperState::kKilling) {
    const bool first = !k->stop.escalated;
    continue_killing(&k->stop, &tree);
    if (first && k->stop.escalated) say_escalating(&k->lease, k->stop.reason);
    if (time >= k->stop.deadline && given_up(&k->stop, &tree, time)) settle_with_survivors(k);
  } else if (k->state == KeeperState::kSurviving && time >= k->stop.next_round) {
    freeze_round(&tree);
    kill_round(&tree);
    kill_seen(&tree);
    k->stop.next_round = time + kSurvivorRound;
  }
}

Nanos next_deadline(const Keeper& k) {
  switch (k.state) {
    case KeeperState::kRunning:
      return k.timeout_at;
    case KeeperState::kDraining:
      return k.drain_until;
    case KeeperState::kStopping:
      return k.stop.kill_at;
    case KeeperState::kKilling:
    case KeeperState::kSurviving:
      return k.stop.next_round;
    default:
      return kNever;
  }
}

}  // namespace procleash
