// The one supervisor of this host process, shared by all its threads: starts it with the first command, hands
// it leases, replaces it when it has died or when the host has changed its user. Never waits for anything but
// its exec.
#pragma once

#include <sys/types.h>

#include "core/clock.h"
#include "core/unique_fd.h"
#include "core/wire.h"

namespace procleash {

// What the keeper is for: a command to come, or a tree to watch.
struct LeaseOffer {
  int lease_end = -1;
  const WatchPayload* watch = nullptr;
};

struct Helper {
  const char* path;
  bool or_from_memory;  // the one that the addon carries, where this file can't be executed
};

// Why no helper runs: the errno of the file's exec, and that of the start from memory, 0 where it was not
// tried.
struct HelperFailure {
  int file = 0;
  int memory = 0;
};

// Gives the keeper's end of a lease to the supervisor. Starts one where none lives. 0, or the errno: that of
// the file's exec with *failure filled, or of the socket.
int hand_over_lease(const Helper& helper, const LeaseOffer& lease, HelperFailure* failure);

// A keeper that is forked ahead saves the next command the supervisor's part of its start. Our end of its
// lease; none where there is none, or where it has ended.
UniqueFd take_spare();
// Has one forked where commands follow each other quickly, `started` telling of another one, and lets it go
// once they don't any more. Gives the time of its next call.
Nanos tend_spare(bool started);
void forget_spare();

// Whether a keeper of this process has ever been ready: then the helper is a good one, whoever asks.
void prove_helper();
bool helper_proved();

// A descriptor that is readable once the supervisor has ended, owned by the caller; -1 where there is none,
// or where it is the `known` one. *pid is its process number.
int watch_supervisor(pid_t known, pid_t* pid);

// Takes the status of the supervisor that such a descriptor stands for, so that no zombie stays: of that
// process, never of any other child, whoever has its number by now.
void reap_supervisor(int watch);

}  // namespace procleash
