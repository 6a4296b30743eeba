#include "supervisor/keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/keeper_messages.h"
#include "supervisor/watcher.h"

namespace procleash {
namespace {

constexpr size_t kCrowd = 16;
constexpr Nanos kCrowdPause = kMillisecond / 2;

// The supervisor is of no use to a watcher: it has no tree below it that would need another subreaper.
[[noreturn]] void become_watcher(Keeper* k, const WatchPayload& request) {
  be_ready(k);
  k->supervisor.reset();
  const WatcherDescriptors fds{k->host.release(), k->signals.release(), tree.proc};
  run_watcher(&k->lease, fds, tree.features, request);
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
  if (in_stop(*k)) let_more_end();
  reap_and_judge(k);
  // Somebody from outside (a shutdown, an operator) ends the keeper: it takes its tree along.
  if (asked_to_end) request_stop(k, Reason::kSupervisorLost, now(), k->budget);
}

// poll(2) takes no more descriptors than RLIMIT_NOFILE allows to open, and somebody has lowered ours since;
// or it wants memory. What it watches can still be read. The lease tells of the host's end as well as the
// rest would.
void look_without_poll(Keeper* k) {
  const struct timespec pause = {0, 2 * kMillisecond};
  nanosleep(&pause, nullptr);
  read_signals(k);
  read_messages(k);
}

void wait_for_events(Keeper* k) {
  struct pollfd waits[5] = {};
  waits[0] = {k->signals.get(), POLLIN, 0};
  waits[1] = {k->lease.socket(), k->lease.events(), 0};
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
  if (waits[1].revents != 0) read_messages(k);
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
  tree.loadavg = open_loadavg(tree.proc);
  // The last word is given before the end; if the host is gone nobody waits for it.
  for (;;) {
    // Whoever found the lease broken, a write of ours too: the tree must not outlive it.
    if (k->lease.broken()) lose(k, Reason::kLeaseLost);
    if (k->state == KeeperState::kDone && !k->lease.wants_to_write()) break;
    wait_for_events(k);
    run_timers(k);
  }
  _exit(0);
}

}  // namespace procleash
