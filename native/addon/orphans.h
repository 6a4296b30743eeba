// Subreaper mode: orphans come up to the host, and those that the runtime did not start are reaped, each by
// its number. Never waits for "any child": a status belongs to the runtime unless shown otherwise, by one of
//
//   seen       a look has shown it as the child of another process
//   session    it is in a session that is neither the host's nor its own; a session passes on by fork only
//   unclaimed  it has been a zombie for a while, in which the event loop of the thread that has it as a child
//              went round several times, and the runtime did not take it
//
// The table is guarded by the reactor's lock, and changed by a look of its thread, or by the JavaScript
// thread.
#pragma once

#include "addon/reactor.h"

namespace procleash {

// Gives a handle, whose messages (kOrphans) ask for reap_unclaimed, or -errno: EBUSY where it is on, EXDEV on
// any but the process's first thread, to which the kernel gives orphans. The caller holds the lock.
int64_t enable_orphans(Reactor* r, Nanos patience);
// CLOSED follows.
void disable_orphans(Reactor* r);

// A look, if one is due. Gives the time of the next. The caller holds the lock; it is released meanwhile.
Nanos run_orphans(Reactor* r);

// One turn of the event loop. On the JavaScript thread, with the lock.
void reap_unclaimed(Reactor* r);

// For JavaScript: how many were reaped, how many of them because nobody claimed them, how many zombies nobody
// has claimed yet, how many known orphans live; then pid and start time of those. Gives how many numbers
// there are; writes what fits. The caller holds the lock.
size_t describe_orphans(const Reactor* r, Span<double> out);

}  // namespace procleash
