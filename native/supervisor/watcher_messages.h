// What the host says to its watcher: the process to watch, signals, stops, lists, and that the tree is to be
// left alone.
#pragma once

#include "supervisor/watcher_state.h"

namespace procleash {

// Finds the process and begins the record, or says why not.
void start_watch(Watcher* w, const WatchPayload& request);

// Sends what waits, and takes all messages that are there.
void read_messages(Watcher* w);

}  // namespace procleash
