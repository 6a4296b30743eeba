// The keeper: one process for each command, subreaper of its tree, holder of the lease's other end. It
// carries out stop plans on its own clock and asks nobody; it ends when its tree has ended and its last word
// was given.
#pragma once

#include "core/features.h"
#include "core/wire.h"

namespace procleash {

struct KeeperDescriptors {
  int lease;
  int supervisor;  // end of file once the supervisor has ended
  int host;        // readable once the host has ended; -1 where there are no pidfds
  int signals;     // reports SIGCHLD, SIGTERM, SIGINT, SIGHUP
  int proc;
};

// Runs the keeper's life in the calling process (a fresh fork of the supervisor, one thread, every signal
// blocked) and ends the process. Takes the descriptors over. `watch`: null but for a watcher.
[[noreturn]] void run_keeper(const KeeperDescriptors& fds, const Features& features,
                             const WatchPayload* watch);

}  // namespace procleash
