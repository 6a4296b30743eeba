// What the host says to its keeper: the command to start, signals, stops, lists.
#pragma once

#include "supervisor/keeper_state.h"

namespace procleash {

// Not before there is work: a keeper that waits for it wakes nobody.
void be_ready(Keeper* k);

// Sends what waits, and takes all messages that are there.
void read_messages(Keeper* k);

}  // namespace procleash
