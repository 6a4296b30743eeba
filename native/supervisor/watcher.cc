#include "supervisor/watcher.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/watcher_messages.h"

namespace procleash {
namespace {

// The events of the whole system wake us: not more often than this, unless it is for a kill.
constexpr Nanos kEventsPause = kMillisecond;

// Somebody from outside (a shutdown, an operator) ends the watcher: as if the host had ended.
void read_signals(Watcher* w) {
  struct signalfd_siginfo info;
  while (read(w->signals.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
    if (info.ssi_signo != SIGCHLD) lose_host(w);
  }
}

void wait_for_events(Watcher* w) {
  const bool paused = w->recorder.events.valid() && !w->recorder.kill_new && now() < w->events_from;
  struct pollfd waits[5] = {};
  waits[0] = {w->signals.get(), POLLIN, 0};
  waits[1] = {w->lease->socket(), w->lease->events(), 0};
  waits[2] = {w->host.get(), POLLIN, 0};
  waits[3] = {w->watched.get(), POLLIN, 0};
  waits[4] = {paused ? -1 : w->recorder.events.get(), POLLIN, 0};
  struct timespec space;
  if (ppoll(waits, 5, until(next_deadline(*w, paused), &space), nullptr) < 0 && errno != EINTR) {
    // No memory, or no more descriptors are allowed than a limit that was lowered since: without poll(2),
    // then.
    const struct timespec pause = {0, 2 * kMillisecond};
    nanosleep(&pause, nullptr);
    for (struct pollfd& wait : waits) wait.revents = wait.fd >= 0 ? POLLIN : 0;
    waits[2].revents = 0;
    waits[3].revents = 0;
  }
  if (waits[0].revents != 0) read_signals(w);
  if (waits[1].revents != 0) read_messages(w);
  if (waits[2].revents != 0) {
    w->host.reset();
    w->lease->close();
  }
  if (waits[3].revents != 0) note_end_of_watched(w);
  if (waits[4].revents != 0 && w->state != WatcherState::kDone) {
    w->events_from = now() + kEventsPause;
    if (w->state != WatcherState::kStopping) take_events(&w->recorder);
  }
}

Watcher watcher;

}  // namespace

void run_watcher(Lease* lease, const WatcherDescriptors& fds, const Features& features,
                 const WatchPayload& request) {
  prctl(PR_SET_NAME, "procleash-watch", 0, 0, 0);
  Watcher* w = &watcher;
  w->lease = lease;
  w->host = UniqueFd(fds.host);
  w->signals = UniqueFd(fds.signals);
  w->tree.proc = fds.proc;
  w->tree.features = features;
  start_watch(w, request);
  for (;;) {
    if (w->lease->broken()) lose_host(w);
    if (w->state == WatcherState::kDone && !w->lease->wants_to_write()) break;
    run_due(w);
    if (w->state == WatcherState::kDone && !w->lease->wants_to_write()) break;
    wait_for_events(w);
  }
  close_recorder(&w->recorder);
  _exit(0);
}

}  // namespace procleash
