// The host's end of a lease: opened through the supervisor, frames sent and read, what does not fit kept for
// later. Never blocks. The caller holds the reactor's lock.
#pragma once

#include "addon/call_failure.h"
#include "addon/reactor.h"

namespace procleash {

// `watch`: null but for a watcher.
CallFailure open_lease(Reactor* r, Command* c, const WatchPayload* watch);
// Has the reactor's thread read it.
CallFailure watch_lease(Reactor* r, Command* c);
void close_lease(Command* c);

// Sends a frame, or queues what does not fit. False where the lease is gone.
bool send_to_keeper(Reactor* r, Command* c, Frame type, Span<const char> payload, Span<const int> fds);
void flush_lease(Reactor* r, Command* c);
// What it did not take yet.
void drop_unsent(Command* c);

// Takes every frame that is there.
void read_lease(Reactor* r, Command* c);

}  // namespace procleash
