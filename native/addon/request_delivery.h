// A request on its way to a keeper, and to another one where the first ended before it was ready.
#pragma once

#include "addon/call_failure.h"
#include "addon/reactor.h"

namespace procleash {

CallFailure send_request(Reactor* r, Command* c);

// The keeper has ended before it was ready: true where another one has the request now. Once for each
// command.
bool start_again(Reactor* r, Command* c);
// The keeper has read it, or more has been asked of it than that.
void drop_request(Command* c);

}  // namespace procleash
