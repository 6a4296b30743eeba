// A watcher on its way: the process checked, a lease handed to the supervisor, the request sent.
#pragma once

#include "addon/call_failure.h"
#include "addon/reactor.h"

namespace procleash {

struct WatchOrder {
  int64_t pid = 0;
  int64_t start = -1;  // ticks, or -1 where the caller knows none
  Nanos budget = 0;
  int stop_signal = 0;
  uint32_t flags = 0;  // those of WatchPayload
};

// Gives a handle, a Refusal, or -errno with the step that failed, as spawn_command does. The handle's
// messages are those of a command: STARTED, RECORDING, EXITED, STOPPING, SETTLED, PROCESSES; FAILED instead
// of RECORDING. The caller holds the lock.
int64_t watch_tree(Reactor* r, const WatchOrder& order, CallFailure* failed);

// The watcher leaves the tree alone and ends, unless a stop has begun. CLOSED follows, after SETTLED in that
// case.
void release_watch(Reactor* r, Command* c);

// After a watcher that ended without its last word: what it had recorded is lost. Stops what is still found.
void lose_watch(Reactor* r, Command* c);

}  // namespace procleash
