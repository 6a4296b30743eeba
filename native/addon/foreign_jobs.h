// What the reactor's thread does for trees that we did not start: stops, and single looks. One picture of
// /proc serves all jobs that are due. It is taken and acted on without the lock: a job belongs to that thread
// from the moment it is queued.
#pragma once

#include "addon/reactor.h"
#include "foreign/foreign_report.h"
#include "foreign/foreign_target.h"

namespace procleash {

struct StopOrder {
  int64_t pid = 0;
  int64_t start = -1;  // ticks, or -1 where the caller knows none
  Nanos requested = 0;
  Nanos budget = 0;
  int signal = 0;
  Reason reason = Reason::kStop;
  bool group_mates = false;  // see check_target
};

// Each gives a handle, as spawn_command does, or a Refusal or -errno. The answer is one message of the handle
// (kSettled, kProcesses), then its CLOSED record. The caller holds the lock.
int64_t queue_stop(Reactor* r, const StopOrder& order);
int64_t queue_inspection(Reactor* r, int64_t pid);

// For a tree whose watcher is lost: SIGKILL from here. The answer is the settlement that the watcher did not
// give; where the watched process is gone too nobody knows what is left, and CLOSED alone says so.
void queue_lost(Reactor* r, Command* c);

// Runs what is due and gives the next deadline. The caller holds the lock; it is released meanwhile.
Nanos run_foreign_jobs(Reactor* r);
void free_foreign_jobs(Reactor* r);

}  // namespace procleash
