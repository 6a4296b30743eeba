#include "supervisor/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "core/spawn.h"
#include "supervisor/lease.h"
#include "supervisor/report.h"
#include "supervisor/start.h"
#include "supervisor/stop.h"
#include "supervisor/tree.h"
#include "supervisor/watcher.h"

namespace procleash {
namespace {

// If the host neither drains nor dies (it may be stopped itself), leftovers are stopped without it.
constexpr Nanos kDrainPatience = 3 * kSecond;
constexpr Nanos kSurvivorRound = kSecond;
// Most trees have ended by then: one message tells all.
constexpr Nanos kWordsTogether = 2 * kMillisecond;
constexpr size_t kCrowd = 16;
constexpr Nanos kCrowdPause = kMillisecond / 2;

//   idle -> running -> draining -> kept
//              |           |        |
//              +-----------+--------+--> stopping -> killing -> surviving
//   and from every state but idle, once the kernel says that no descendant is left: done
enum class State {
  kIdle,       // no command yet
  kRunning,    // the command runs
  kDraining,   // it has ended and left something; the host reads what is still in the pipes
  kKept,       // what it left may stay
  kStopping,   // the first signal was sent
  kKilling,    // SIGKILL, in rounds
  kSurviving,  // past the budget: survivors were named, killing goes on
  kDone,
};

struct Keeper {
  State state = State::kIdle;
  Lease lease;
  UniqueFd supervisor;  // end of file once the supervisor has ended
  UniqueFd host;        // readable once the host has ended
  UniqueFd signals;
  Stop stop;
  Nanos budget = 0;
  int stop_signal = SIGTERM;
  bool keep_leftovers = false;
  bool exit_told = false;
  int shortage = 0;        // errno of what could not be opened in advance
  bool childless = false;  // no child left, and the cgroup still populated
  Nanos timeout_at = kNever;
  Nanos drain_until = kNever;
};

bool in_stop(State state) {
  return state == State::kStopping || state == State::kKilling || state == State::kSurviving;
}

bool has_tree(State state) { return state != State::kIdle && state != State::kDone; }

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
  report.reason = in_stop(k->state) ? k->stop.reason : Reason::kExit;
  report.oom_kills = tree.leaf.valid() ? leaf_oom_kills(tree.leaf) : 0;
  report.escalated = k->stop.escalated;
  report.elapsed = end - (in_stop(k->state) ? k->stop.requested : tree.leader_ended);
  k->state = State::kDone;
  remove_cgroup(&tree);
  say_settled(&k->lease, report, tree);
  k->lease.hold_until(0);
  k->lease.flush();
}

void settle_with_survivors(Keeper* k) {
  k->state = State::kSurviving;
  SettledReport report{};
  report.outcome = Outcome::kSurvivors;
  report.reason = k->stop.reason;
  report.proof = Proof::kNone;
  report.escalated = k->stop.escalated;
  report.elapsed = now() - k->stop.requested;
  report.oom_kills = tree.leaf.valid() ? leaf_oom_kills(tree.leaf) : 0;
  say_settled(&k->lease, report, tree);
}

void request_stop(Keeper* k, Reason reason, Nanos requested, Nanos budget) {
  if (!has_tree(k->state)) return;
  const Nanos deadline = later(requested, budget);
  if (in_stop(k->state)) {
    // A second request joins the running stop; it can only make it shorter.
    if (deadline >= k->stop.deadline) return;
    k->stop.deadline = deadline;
    k->stop.kill_at = min(k->stop.kill_at, kill_time(requested, deadline, tree.living_at_stop));
    return;
  }
  k->state = State::kStopping;
  k->stop.reason = reason;
  k->stop.signal = k->stop_signal;
  k->stop.requested = requested;
  k->stop.deadline = deadline;
  begin_stop(&k->stop, &tree);
  k->lease.hold_until(now() + kWordsTogether);
  say_stopping(&k->lease, reason);
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

void after_drain(Keeper* k) {
  if (k->state != State::kDraining) return;
  k->drain_until = kNever;
  if (k->keep_leftovers) {
    k->state = State::kKept;
  } else {
    request_leftover_stop(k);
  }
}

// Statuses first, then the verdict.
void reap_and_judge(Keeper* k) {
  if (!has_tree(k->state)) return;
  const Reaped reaped = reap(&tree);
  tell_exit(k);
  k->childless = reaped == Reaped::kEmpty;
  // A cgroup may hold what is nobody's child of ours: without a subreaper, or moved in from outside.
  if (k->childless && !(tree.leaf.valid() && leaf_populated(tree.leaf))) {
    settle_empty(k);
    return;
  }
  if (k->state == State::kRunning && tree.leader.reaped) {
    k->state = State::kDraining;
    k->drain_until = tree.leader_ended + kDrainPatience;
  }
}

void refuse(Keeper* k, int number, SpawnStep step) {
  k->state = State::kDone;
  say_failed(&k->lease, number, static_cast<uint8_t>(step));
}

// Not before there is work: a keeper that waits for it wakes nobody.
void be_ready(Keeper* k) {
  prctl(PR_SET_NAME, "procleash-keep", 0, 0, 0);
  say_ready(&k->lease);
}

void start_command(Keeper* k, Span<char> payload) {
  // The pointers' place: behind the payload, aligned (the lease mapped room for them).
  char* end = payload.data + payload.size;
  const size_t beyond = reinterpret_cast<uintptr_t>(end) % sizeof(char*);
  auto* pointers = reinterpret_cast<char**>(beyond == 0 ? end : end + sizeof(char*) - beyond);
  SpawnRequest request;
  const size_t count = spawn_pointers(payload);
  const bool whole = count > 0 && decode_spawn(payload, Span<char*>{pointers, count}, &request);
  if (!whole || k->lease.fd_count() != __builtin_popcount(request.head.fds)) {
    k->lease.release_request();
    refuse(k, EBADMSG, SpawnStep::kMalformed);
    return;
  }
  if (strncmp(request.head.version, PROCLEASH_VERSION, sizeof(request.head.version)) != 0) {
    k->lease.release_request();
    refuse(k, EPROTONOSUPPORT, SpawnStep::kVersion);
    return;
  }
  // A host that has died since it asked must not get a command: the lease is armed before anything runs.
  if (peer_gone(k->lease.socket())) {
    k->lease.release_request();
    k->state = State::kDone;
    return;
  }
  // The kill phase could need a descriptor that is not to be had: nothing is started then.
  if (k->shortage != 0) k->shortage = open_own_children(tree.proc, tree.features, &tree.own_children);
  if (k->shortage != 0) {
    k->lease.release_request();
    refuse(k, k->shortage, SpawnStep::kFork);
    return;
  }
  const StartFailure failure = start_tree(&tree, request, k->lease);
  if (failure.step != SpawnStep::kNone) {
    k->lease.release_request();
    refuse(k, failure.number, failure.step);
    return;
  }
  say_started(&k->lease, tree.leader.pid);
  k->state = State::kRunning;
  k->budget = request.head.budget;
  k->stop_signal = request.head.stop_signal;
  k->keep_leftovers = (request.head.flags & kFlagKeepLeftovers) != 0;
  if (request.head.timeout >= 0) k->timeout_at = later(request.head.requested, request.head.timeout);
  // The command holds its own copies; ours would keep its pipes open for ever.
  k->lease.release_request();
}

void take_stop(Keeper* k, Span<const char> payload) {
  StopPayload stop;
  if (!decode_stop(payload, &stop)) return k->lease.refuse();
  request_stop(k, static_cast<Reason>(stop.reason), stop.requested, stop.budget);
}

void take_signal(Keeper* k, Span<const char> payload) {
  int32_t number = 0;
  if (!decode_signal(payload, &number)) return k->lease.refuse();
  if (has_tree(k->state)) signal_command(&tree, number);
}

void take_inspect(Keeper* k, Span<const char> payload) {
  uint32_t request = 0;
  if (!decode_inspect(payload, &request)) return k->lease.refuse();
  look_again(&tree);
  say_processes(&k->lease, request, tree);
}

// The supervisor is of no use to a watcher: it has no tree below it that would need another subreaper.
[[noreturn]] void become_watcher(Keeper* k, const WatchPayload& request) {
  be_ready(k);
  k->supervisor.reset();
  const WatcherDescriptors fds{k->host.release(), k->signals.release(), tree.proc};
  run_watcher(&k->lease, fds, tree.features, request);
}

void take_message(Keeper* k, const Lease::Message& message) {
  const Span<const char> payload{message.payload.data, message.payload.size};
  switch (message.type) {
    case Frame::kSpawn:
      if (k->state != State::kIdle) break;
      // Its host gives the request to another keeper, of another supervisor.
      if (peer_gone(k->supervisor.get())) return k->lease.close();
      be_ready(k);
      start_command(k, message.payload);
      break;
    case Frame::kStop:
      take_stop(k, payload);
      break;
    case Frame::kSignal:
      take_signal(k, payload);
      break;
    case Frame::kInspect:
      take_inspect(k, payload);
      break;
    case Frame::kDrained:
      after_drain(k);
      break;
    default:
      k->lease.refuse();
      break;
  }
}

// The host or the supervisor is gone: without a tree there is nothing to stay for.
void lose(Keeper* k, Reason reason) {
  if (k->state == State::kIdle) k->state = State::kDone;
  request_stop(k, reason, now(), k->budget);
}

void read_lease(Keeper* k) {
  Lease::Message message;
  while (k->lease.next(&message)) take_message(k, message);
}

// In a stop, ends come in crowds. To wake for each would take the CPU from those that are about to end.
void let_more_end() {
  if (tree.living_at_stop < kCrowd ||
      tree.reaped_count + kCrowd > tree.reaped_before_stop + tree.living_at_stop)
    return;
  const struct timespec pause = {0, kCrowdPause};
  nanosleep(&pause, nullptr);
}

void read_signals(Keeper* k) {
  // SIGCHLD comes once however many ended; what else waits is reported by the next poll.
  struct signalfd_siginfo info;
  const bool got = read(k->signals.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info));
  const bool asked_to_end = got && info.ssi_signo != SIGCHLD;
  if (in_stop(k->state)) let_more_end();
  reap_and_judge(k);
  // Somebody from outside (a shutdown, an operator) ends the keeper: it takes its tree along.
  if (asked_to_end) request_stop(k, Reason::kSupervisorLost, now(), k->budget);
}

void run_timers(Keeper* k) {
  const Nanos time = now();
  if (k->state == State::kRunning && time >= k->timeout_at) {
    request_stop(k, Reason::kTimeout, k->timeout_at, k->budget);
  }
  if (k->state == State::kDraining && time >= k->drain_until) after_drain(k);
  if (k->state == State::kStopping && time >= k->stop.kill_at) k->state = State::kKilling;
  if (k->state == State::kKilling) {
    const bool first = !k->stop.escalated;
    continue_killing(&k->stop, &tree);
    if (first && k->stop.escalated) say_escalating(&k->lease, k->stop.reason);
    if (time >= k->stop.deadline && given_up(&k->stop, &tree, time)) settle_with_survivors(k);
  } else if (k->state == State::kSurviving && time >= k->stop.next_round) {
    freeze_round(&tree);
    kill_round(&tree);
    kill_seen(&tree);
    k->stop.next_round = time + kSurvivorRound;
  }
}

Nanos next_deadline(const Keeper& k) {
  switch (k.state) {
    case State::kRunning:
      return k.timeout_at;
    case State::kDraining:
      return k.drain_until;
    case State::kStopping:
      return k.stop.kill_at;
    case State::kKilling:
    case State::kSurviving:
      return k.stop.next_round;
    default:
      return kNever;
  }
}

// poll(2) takes no more descriptors than RLIMIT_NOFILE allows to open, and somebody has lowered ours since;
// or it wants memory. What it watches can still be read. The lease tells of the host's end as well as the
// rest would.
void look_without_poll(Keeper* k) {
  const struct timespec pause = {0, 2 * kMillisecond};
  nanosleep(&pause, nullptr);
  read_signals(k);
  k->lease.flush();
  read_lease(k);
}

void wait_for_events(Keeper* k) {
  struct pollfd waits[5] = {};
  waits[0] = {k->signals.get(), POLLIN, 0};
  waits[1] = {k->lease.socket(), static_cast<short>(POLLIN | (k->lease.wants_to_write() ? POLLOUT : 0)), 0};
  waits[2] = {k->supervisor.get(), POLLIN, 0};
  waits[3] = {k->host.get(), POLLIN, 0};
  // No SIGCHLD tells of those who are left there.
  waits[4] = {k->childless ? tree.leaf.events.get() : -1, POLLPRI, 0};
  struct timespec space;
  // Negative descriptors are passed over (poll(2)): a broken lease, a supervisor that has ended.
  const Nanos deadline = min(next_deadline(*k), k->lease.due());
  int ready = ppoll(waits, 5, until(deadline, &space), nullptr);
  if (ready < 0 && errno != EINTR) {
    look_without_poll(k);
    return;
  }
  if (ready <= 0) return;
  if (waits[0].revents != 0) read_signals(k);
  if (waits[1].revents != 0) {
    k->lease.flush();
    read_lease(k);
  }
  if (waits[2].revents != 0) {
    k->supervisor.reset();
    lose(k, Reason::kSupervisorLost);
  }
  if (waits[3].revents != 0) {
    k->host.reset();
    k->lease.close();
  }
  if (waits[4].revents != 0) reap_and_judge(k);
}

Keeper keeper;

}  // namespace

void run_keeper(const KeeperDescriptors& fds, const Features& features, const WatchPayload* watch) {
  prctl(PR_SET_NAME, "procleash-idle", 0, 0, 0);
  // Not inherited by fork, kept over nothing: each keeper becomes its own tree's subreaper (prctl(2)).
  const bool adopts = features.subreaper && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  Keeper* k = &keeper;
  k->lease.open(fds.lease);
  k->supervisor = UniqueFd(fds.supervisor);
  k->host = UniqueFd(fds.host);
  k->signals = UniqueFd(fds.signals);
  tree.keeper = getpid();
  tree.proc = fds.proc;
  tree.features = features;
  tree.features.subreaper = adopts;
  k->shortage = open_own_children(tree.proc, tree.features, &tree.own_children);
  if (watch != nullptr) become_watcher(k, *watch);
  // The last word is given before the end; if the host is gone nobody waits for it.
  for (;;) {
    // Whoever found the lease broken, a write of ours too: the tree must not outlive it.
    if (k->lease.broken()) lose(k, Reason::kLeaseLost);
    if (k->state == State::kDone && !k->lease.wants_to_write()) break;
    wait_for_events(k);
    run_timers(k);
  }
  _exit(0);
}

}  // namespace procleash
