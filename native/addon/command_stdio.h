// The standard streams of a command as descriptors: made from what JavaScript ordered. Theirs go with the
// request; ours become the command's streams.
#pragma once

#include "addon/call_failure.h"
#include "addon/reactor.h"
#include "addon/spawn_order.h"

namespace procleash {

// Closes itself unless it is taken.
struct CommandStdio {
  UniqueFd ours[3];
  UniqueFd theirs[3];
  UniqueFd directory;  // where relative paths of the command start
  UniqueFd spill;
};

CallFailure make_stdio(const SpawnOrder& order, CommandStdio* made);

// Takes ours over and has the reactor's thread watch them.
CallFailure keep_streams(Reactor* r, Command* c, const SpawnOrder& order, CommandStdio* made);

}  // namespace procleash
