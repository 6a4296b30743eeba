// The one supervisor of this host process, shared by all its threads: starts it with the first command, hands
// it leases, replaces it when it has died or when the host has changed its user. Never waits for anything but
// its exec.
#pragma once

#include <sys/types.h>

#include "core/unique_fd.h"

namespace procleash {

// Gives the keeper's end of a lease to the supervisor. Starts one where none lives. 0, or the errno: that of
// the exec with *helper_failed set, or of the socket.
int hand_over_lease(const char* helper, int lease_end, bool* helper_failed);

// A descriptor that reports (EPOLLHUP) the end of the supervisor, owned by the caller; -1 where there is
// none. *pid is its process number.
int watch_supervisor(pid_t* pid);

// Takes the status of a supervisor that has ended, so that no zombie stays: by its number, never any other
// child's.
void reap_supervisor(pid_t pid);

}  // namespace procleash
