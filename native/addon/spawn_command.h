// Turns JavaScript's order into a command on its way: descriptors made, lease handed to the supervisor,
// request sent. Blocks for no longer than those system calls take.
#pragma once

#include "addon/call_failure.h"
#include "addon/reactor.h"
#include "addon/spawn_order.h"

namespace procleash {

// Gives the handle, or -errno with the failed step in the numbers. The caller holds the reactor's lock.
int64_t spawn_command(Reactor* r, Span<double> params, Span<const char> strings);

}  // namespace procleash
