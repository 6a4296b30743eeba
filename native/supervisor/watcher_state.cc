#include "supervisor/watcher_state.h"

#include "foreign/foreign_signals.h"
#include "supervisor/report.h"
#include "supervisor/watch_report.h"

namespace procleash {
namespace {

constexpr Nanos kSurvivorRound = kSecond;

bool is_empty(const ForeignTree& t) { return t.living == 0 && t.hidden_groups == 0; }

void end_watch(Watcher* w) {
  say_watch_settled(w->lease, w->stop, w->tree);
  w->state = is_empty(w->tree) && !w->stop.blind ? WatcherState::kDone : WatcherState::kSurviving;
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

bool watched_has_ended(const Watcher& w) {
  const Member* root = find_root(w.tree);
  return root == nullptr || !root->alive;
}

void run_recorder(Watcher* w) {
  step_recorder(&w->recorder);
  if (w->state == WatcherState::kRecording && watched_has_ended(*w)) note_end_of_watched(w);
  if (w->state == WatcherState::kKept && w->tree.living == 0) begin_stop(w, Reason::kExit, now(), w->budget);
}

}  // namespace

void begin_stop(Watcher* w, Reason reason, Nanos requested, Nanos budget) {
  if (w->state == WatcherState::kSurviving || w->state == WatcherState::kDone) return;
  if (w->state == WatcherState::kStopping) return hasten_stop(&w->stop, requested, budget);
  if (w->recorder.events.valid()) take_events(&w->recorder);
  begin_counting(&w->tree);
  w->state = WatcherState::kStopping;
  w->stop.reason = reason;
  w->stop.signal = w->stop_signal;
  w->stop.requested = requested;
  w->stop.deadline = later(requested, budget);
  // A process that leaves nothing is not being stopped.
  if (reason != Reason::kExit || w->tree.living > 0) say_stopping(w->lease, reason);
}

void note_end_of_watched(Watcher* w) {
  w->watched.reset();
  const Nanos time = now();
  if (w->recorder.events.valid()) take_events(&w->recorder);
  // At once: who was born since the last look may still be tied by a number that is soon nobody's.
  if (w->state != WatcherState::kStopping) take_picture(&w->recorder);
  say_watched_exited(w->lease);
  if (w->state != WatcherState::kRecording) return;
  w->state = WatcherState::kKept;
  if (!w->keep_leftovers) begin_stop(w, Reason::kExit, time, w->budget);
}

void lose_host(Watcher* w) {
  if (w->host_lost) return;
  w->host_lost = true;
  const bool stops = w->state == WatcherState::kStopping || w->state == WatcherState::kSurviving;
  if (!stops && w->keep_at_host_death) w->state = WatcherState::kDone;
  begin_stop(w, Reason::kLeaseLost, now(), w->budget);
}

void run_due(Watcher* w) {
  switch (w->state) {
    case WatcherState::kRecording:
    case WatcherState::kKept:
      run_recorder(w);
      break;
    case WatcherState::kStopping:
      run_stop(w);
      break;
    case WatcherState::kSurviving:
      run_survivors(w);
      break;
    case WatcherState::kDone:
      break;
  }
}

Nanos next_deadline(const Watcher& w, bool events_wait) {
  const Nanos events = events_wait ? w.events_from : kNever;
  if (w.state == WatcherState::kDone) return kNever;
  if (w.state == WatcherState::kStopping || w.state == WatcherState::kSurviving)
    return min(events, w.stop.next);
  const Recorder& r = w.recorder;
  const bool lists = !r.events.valid() && w.tree.features.children;
  return min(events, lists ? min(r.next_look, r.next_picture) : r.next_picture);
}

}  // namespace procleash
