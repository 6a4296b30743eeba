#include "supervisor/watcher.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "core/spawn.h"
#include "core/sys.h"
#include "foreign/foreign_signals.h"
#include "foreign/foreign_target.h"
#include "supervisor/report.h"
#include "supervisor/watch_report.h"

namespace procleash {
namespace {

// Asked for at the start, so that a stop needs none. Untouched pages cost nothing.
constexpr size_t kRoom = 32768;
// The events of the whole system wake us: not more often than this, unless it is for a kill.
constexpr Nanos kEventsPause = kMillisecond;
constexpr Nanos kSurvivorRound = kSecond;

//   recording -> kept
//       |         |
//       +---------+--> stopping -> surviving -> done
enum class State {
  kRecording,
  kKept,  // the watched process has ended, what it left may stay
  kStopping,
  kSurviving,  // survivors were named, killing goes on
  kDone,       // the last word was given, or nobody is there to hear it
};

char names[kMaxNamed][kMaxArgv];

struct Watcher {
  State state = State::kRecording;
  Lease* lease = nullptr;
  UniqueFd host;
  UniqueFd signals;
  UniqueFd watched;  // the process's pidfd, until its end was noticed
  ForeignTree tree;
  Snapshot snapshot;
  Recorder recorder;
  ForeignStop stop;
  Nanos events_from = 0;
  Nanos budget = 0;
  int stop_signal = SIGTERM;
  bool keep_leftovers = false;
  bool keep_at_host_death = false;
  bool host_lost = false;
};

void begin_stop(Watcher* w, Reason reason, Nanos requested, Nanos budget) {
  if (w->state == State::kSurviving || w->state == State::kDone) return;
  if (w->state == State::kStopping) return hasten_stop(&w->stop, requested, budget);
  if (w->recorder.events.valid()) take_events(&w->recorder);
  begin_counting(&w->tree);
  w->state = State::kStopping;
  w->stop.reason = reason;
  w->stop.signal = w->stop_signal;
  w->stop.requested = requested;
  w->stop.deadline = later(requested, budget);
  // A process that leaves nothing is not being stopped.
  if (reason != Reason::kExit || w->tree.living > 0) say_stopping(w->lease, reason);
}

bool is_empty(const ForeignTree& t) { return t.living == 0 && t.hidden_groups == 0; }

void end_watch(Watcher* w) {
  say_watch_settled(w->lease, w->stop, w->tree);
  w->state = is_empty(w->tree) && !w->stop.blind ? State::kDone : State::kSurviving;
  w->stop.next = now() + kSurvivorRound;
}

// Their end is reported too, if anybody is there to hear it.
void run_survivors(Watcher* w) {
  if (now() < w->stop.next) return;
  w->stop.next = now() + kSurvivorRound;
  take_snapshot(w->tree.proc, &w->snapshot);
  if (w->snapshot.error != 0) return;
  w->stop.blind = false;
  take_in(&w->tree, w->snapshot.processes());
  kill_members(&w->tree, true);
  if (is_empty(w->tree)) end_watch(w);
}

void take_stop_picture(Watcher* w) {
  if (now() < w->stop.next) return;
  take_snapshot(w->tree.proc, &w->snapshot);
  step_stop(&w->stop, &w->tree, w->snapshot);
  w->recorder.kill_new = w->stop.phase == StopPhase::kKilling;
}

// Who was born since the picture is in no picture.
void take_events_in_stop(Watcher* w) {
  const uint32_t before = w->recorder.births;
  take_events(&w->recorder);
  const bool empty = w->stop.empty_pictures > 0;
  if (w->recorder.births == before || !empty || now() >= w->stop.deadline + kOverrun) return;
  reopen_stop(&w->stop, w->tree);
  w->recorder.kill_new = w->stop.phase == StopPhase::kKilling;
  w->stop.escalated = w->stop.escalated || w->recorder.kill_new;
}

void run_stop(Watcher* w) {
  if (w->recorder.events.valid()) take_events_in_stop(w);
  take_stop_picture(w);
  if (w->recorder.events.valid()) take_events_in_stop(w);
  if (w->stop.phase == StopPhase::kEnded) end_watch(w);
}

void note_end_of_watched(Watcher* w) {
  w->watched.reset();
  const Nanos time = now();
  if (w->recorder.events.valid()) take_events(&w->recorder);
  // At once: who was born since the last look may still be tied by a number that is soon nobody's.
  if (w->state != State::kStopping) take_picture(&w->recorder);
  say_watched_exited(w->lease);
  if (w->state != State::kRecording) return;
  w->state = State::kKept;
  if (!w->keep_leftovers) begin_stop(w, Reason::kExit, time, w->budget);
}

bool watched_has_ended(const Watcher& w) {
  const Member* root = find_root(w.tree);
  return root == nullptr || !root->alive;
}

void run_recorder(Watcher* w) {
  step_recorder(&w->recorder);
  if (w->state == State::kRecording && watched_has_ended(*w)) note_end_of_watched(w);
  if (w->state == State::kKept && w->tree.living == 0) begin_stop(w, Reason::kExit, now(), w->budget);
}

void lose_host(Watcher* w) {
  if (w->host_lost) return;
  w->host_lost = true;
  const bool stops = w->state == State::kStopping || w->state == State::kSurviving;
  if (!stops && w->keep_at_host_death) w->state = State::kDone;
  begin_stop(w, Reason::kLeaseLost, now(), w->budget);
}

void take_message(Watcher* w, const Lease::Message& message) {
  const Span<const char> payload{message.payload.data, message.payload.size};
  StopPayload stop;
  int32_t number = 0;
  uint32_t request = 0;
  switch (message.type) {
    case Frame::kStop:
      if (!decode_stop(payload, &stop)) return w->lease->refuse();
      begin_stop(w, static_cast<Reason>(stop.reason), stop.requested, stop.budget);
      break;
    case Frame::kSignal:
      if (!decode_signal(payload, &number)) return w->lease->refuse();
      signal_root(w->tree, w->watched.get(), number);
      break;
    case Frame::kInspect:
      if (!decode_inspect(payload, &request)) return w->lease->refuse();
      say_recorded(w->lease, request, &w->tree);
      break;
    case Frame::kRelease:
      // A stop that has begun is carried through.
      if (w->state != State::kStopping) w->state = State::kDone;
      break;
    case Frame::kDrained:
      break;
    default:
      w->lease->refuse();
      break;
  }
}

void read_lease(Watcher* w) {
  Lease::Message message;
  w->lease->flush();
  while (w->lease->next(&message)) take_message(w, message);
}

// Somebody from outside (a shutdown, an operator) ends the watcher: as if the host had ended.
void read_signals(Watcher* w) {
  struct signalfd_siginfo info;
  while (read(w->signals.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
    if (info.ssi_signo != SIGCHLD) lose_host(w);
  }
}

Nanos next_deadline(const Watcher& w, bool events_wait) {
  const Nanos events = events_wait ? w.events_from : kNever;
  if (w.state == State::kDone) return kNever;
  if (w.state == State::kStopping || w.state == State::kSurviving) return min(events, w.stop.next);
  const Recorder& r = w.recorder;
  const bool lists = !r.events.valid() && w.tree.features.children;
  return min(events, lists ? min(r.next_look, r.next_picture) : r.next_picture);
}

void wait_for_events(Watcher* w) {
  const bool paused = w->recorder.events.valid() && !w->recorder.kill_new && now() < w->events_from;
  struct pollfd waits[5] = {};
  waits[0] = {w->signals.get(), POLLIN, 0};
  waits[1] = {w->lease->socket(), static_cast<short>(POLLIN | (w->lease->wants_to_write() ? POLLOUT : 0)), 0};
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
  if (waits[1].revents != 0) read_lease(w);
  if (waits[2].revents != 0) {
    w->host.reset();
    w->lease->close();
  }
  if (waits[3].revents != 0) note_end_of_watched(w);
  if (waits[4].revents != 0 && w->state != State::kDone) {
    w->events_from = now() + kEventsPause;
    if (w->state != State::kStopping) take_events(&w->recorder);
  }
}

// 0, or the errno of what stands in the way.
int find_watched(Watcher* w, const WatchPayload& request) {
  Process root;
  const int error = find_never(&w->tree);
  if (error != 0) return error;
  w->tree.no_tie = NoTie{request.group, request.session};
  if (w->tree.features.pidfd) w->watched = UniqueFd(pidfd_open(request.pid));
  if (!read_process(w->tree.proc, request.pid, &root)) return is_shortage(errno) ? errno : ESRCH;
  if (root.start != static_cast<uint64_t>(request.start) || !root.alive()) return ESRCH;
  w->tree.names = names;
  const bool room = reserve_members(&w->tree, kRoom) && reserve_snapshot(&w->snapshot, kRoom);
  if (!room || !begin_tree(&w->tree, root)) return ENOMEM;
  w->tree.naming = false;
  return 0;
}

// 0, or the errno; `step` tells JavaScript what it is about.
int take_request(Watcher* w, const WatchPayload& request, SpawnStep* step) {
  *step = SpawnStep::kMalformed;
  if (!is_valid(request)) return EBADMSG;
  *step = SpawnStep::kVersion;
  if (strncmp(request.version, PROCLEASH_VERSION, sizeof(request.version)) != 0) return EPROTONOSUPPORT;
  *step = SpawnStep::kNone;
  w->budget = request.budget;
  w->stop_signal = request.stop_signal;
  w->keep_leftovers = (request.flags & kFlagKeepLeftovers) != 0;
  w->keep_at_host_death = (request.flags & kFlagKeepAtHostDeath) != 0;
  return find_watched(w, request);
}

void start_watch(Watcher* w, const WatchPayload& request) {
  SpawnStep step = SpawnStep::kNone;
  const int error = take_request(w, request, &step);
  if (error != 0) {
    w->state = State::kDone;
    say_failed(w->lease, error, static_cast<uint8_t>(step));
    return;
  }
  say_started(w->lease, w->tree.root);
  w->recorder.tree = &w->tree;
  w->recorder.snapshot = &w->snapshot;
  open_recorder(&w->recorder, w->tree.features.proc_events);
  say_recording(w->lease, w->recorder.recording(), w->tree.root_start);
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
    if (w->state == State::kDone && !w->lease->wants_to_write()) break;
    if (w->state == State::kStopping) {
      run_stop(w);
    } else if (w->state == State::kSurviving) {
      run_survivors(w);
    } else if (w->state != State::kDone) {
      run_recorder(w);
    }
    if (w->state == State::kDone && !w->lease->wants_to_write()) break;
    wait_for_events(w);
  }
  close_recorder(&w->recorder);
  _exit(0);
}

}  // namespace procleash
