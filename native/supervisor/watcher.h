// A keeper without a command: records a tree that somebody else has started, and stops what it has recorded
// when the watched process ends, when it is asked to, or when the lease breaks. A process of its own, so that
// a blocked host loses nothing, and a dead one its tree no more than with a command.
#pragma once

#include "core/features.h"
#include "supervisor/lease.h"

namespace procleash {

struct WatcherDescriptors {
  int host;     // readable once the host has ended; -1 where there are no pidfds
  int signals;  // reports SIGCHLD, SIGTERM, SIGINT, SIGHUP
  int proc;
};

// Takes the descriptors over, lives the watcher's life in the calling
// process, and ends the process.
[[noreturn]] void run_watcher(Lease* lease, const WatcherDescriptors& fds, const Features& features,
                              const WatchPayload& request);

}  // namespace procleash
