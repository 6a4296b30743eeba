// The kernel's process events connector: tells of every fork on the system, also of those that no picture
// would show. Only where the kernel permits it to us and counts processes as we do; found by trying.
#pragma once

#include "core/base.h"
#include "core/clock.h"
#include "core/unique_fd.h"

namespace procleash {

// A process (not a thread) was born. Numbers as in our own PID namespace.
struct Birth {
  pid_t parent = 0;
  pid_t child = 0;
  Nanos time = 0;  // CLOCK_MONOTONIC
};

// One message of the connector. False where it tells of something else, or is not of its form.
bool parse_birth(Span<const char> message, Birth* out);

// Not valid where there are none for us. Forks a child, which ends at once, to see whether it is told of: the
// caller has one thread, and no other child that may end meanwhile.
UniqueFd open_process_events();
void close_process_events(UniqueFd* events);

// Calls visit for every birth that waits, in the order of the kernel. False where some were lost: more came
// than the socket holds (ENOBUFS).
using VisitBirth = void (*)(void* context, const Birth& birth);
bool read_births(int socket, VisitBirth visit, void* context);

}  // namespace procleash
