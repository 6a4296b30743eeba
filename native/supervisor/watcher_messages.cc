#include "supervisor/watcher_messages.h"

#include <errno.h>

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

char names[kMaxNamed][kMaxArgv];

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
  if (!is_our_version(request.version)) return EPROTONOSUPPORT;
  *step = SpawnStep::kNone;
  w->budget = request.budget;
  w->stop_signal = request.stop_signal;
  w->keep_leftovers = (request.flags & kFlagKeepLeftovers) != 0;
  w->keep_at_host_death = (request.flags & kFlagKeepAtHostDeath) != 0;
  return find_watched(w, request);
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
      if (w->state != WatcherState::kStopping) w->state = WatcherState::kDone;
      break;
    case Frame::kDrained:
      break;
    default:
      w->lease->refuse();
      break;
  }
}

}  // namespace

void start_watch(Watcher* w, const WatchPayload& request) {
  SpawnStep step = SpawnStep::kNone;
  const int error = take_request(w, request, &step);
  if (error != 0) {
    w->state = WatcherState::kDone;
    say_failed(w->lease, error, static_cast<uint8_t>(step));
    return;
  }
  say_started(w->lease, w->tree.root);
  w->recorder.tree = &w->tree;
  w->recorder.snapshot = &w->snapshot;
  open_recorder(&w->recorder, w->tree.features.proc_events);
  say_recording(w->lease, w->recorder.recording(), w->tree.root_start);
}

void read_messages(Watcher* w) {
  Lease::Message message;
  w->lease->flush();
  while (w->lease->next(&message)) take_message(w, message);
}

}  // namespace procleash
