// A watcher's life: its states, and what leads from one to the next. Messages of the host and the events of
// the kernel come from outside; the record and its stop are carried on here.
#pragma once

#include <signal.h>

#include "foreign/foreign_stop.h"
#include "foreign/recorder.h"
#include "supervisor/lease.h"

namespace procleash {

//   recording -> kept
//       |         |
//       +---------+--> stopping -> surviving -> done
enum class WatcherState {
  kRecording,
  kKept,  // the watched process has ended, what it left may stay
  kStopping,
  kSurviving,  // survivors were named, killing goes on
  kDone,       // the last word was given, or nobody is there to hear it
};

struct Watcher {
  WatcherState state = WatcherState::kRecording;
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

// A second request joins the running stop; it can only make it shorter.
void begin_stop(Watcher* w, Reason reason, Nanos requested, Nanos budget);
void note_end_of_watched(Watcher* w);
void lose_host(Watcher* w);

// Does what is due.
void run_due(Watcher* w);
// `events_wait`: there are some that are not to be read yet.
Nanos next_deadline(const Watcher& w, bool events_wait);

}  // namespace procleash
