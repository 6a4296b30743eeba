// A request on its way: the lease to a keeper, what is sent on it, and the same to another keeper where the
// first one ended before it was ready.
#pragma once

#include "addon/call_failure.h"
#include "addon/reactor.h"

namespace procleash {

// Hands a new lease of the command to the supervisor. `watch`: null but for a watcher.
CallFailure open_lease(Reactor* r, Command* c, const WatchPayload* watch);

// Has the reactor's thread read it.
CallFailure watch_lease(Reactor* r, Command* c);

CallFailure send_request(Reactor* r, Command* c);

// The keeper has ended before it was ready: true where another one has the request now. Once for each
// command.
bool start_again(Reactor* r, Command* c);
// The keeper has read it, or more has been asked of it than that.
void drop_request(Command* c);

}  // namespace procleash
