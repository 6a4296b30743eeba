// The keeper's words to the host, packed for the wire. One static buffer: nothing here needs memory.
#pragma once

#include "supervisor/lease.h"
#include "supervisor/tree.h"

namespace procleash {

void say_ready(Lease* lease);
void say_started(Lease* lease, pid_t pid);
void say_failed(Lease* lease, int number, uint8_t step);
void say_exited(Lease* lease, int status);
void say_stopping(Lease* lease, Reason reason);
void say_escalating(Lease* lease, Reason reason);

struct SettledReport {
  Outcome outcome;
  Reason reason;
  Proof proof;
  bool escalated;
  Nanos elapsed;
  uint32_t oom_kills;
  bool childless;  // ECHILD, whatever that proves
};

// Survivors are read from the tree's current picture; none is named once the last child has ended.
void say_settled(Lease* lease, const SettledReport& report, const Tree& t);

// False where the process of this index has nothing to be told.
using PackProcess = bool (*)(void* context, size_t index, Packer* out);

// A list in as many frames as it takes. Given up where the host makes no room for the next one.
void say_list(Lease* lease, uint32_t request, size_t size, PackProcess pack, void* context);

// The living members of the current picture, in as many frames as they take.
void say_processes(Lease* lease, uint32_t request, const Tree& t);

}  // namespace procleash
