// The request that starts a command, as its keeper reads it.
#pragma once

#include "addon/call_failure.h"
#include "addon/command_stdio.h"

namespace procleash {

// Into c->request, with the command's own ends of its streams.
CallFailure make_request(Command* c, const SpawnOrder& order, CommandStdio* stdio);

}  // namespace procleash
