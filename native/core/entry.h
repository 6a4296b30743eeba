// One process as the keeper's reports and the sweep's tell of it.
#pragma once

#include "core/descendants.h"
#include "core/wire.h"

namespace procleash {

constexpr size_t kMaxArgv = 256;

struct Entry {
  Process process;
  Escape escape = Escape::kNone;
  SurvivorReason reason = SurvivorReason::kNone;
  StatusKind status_kind = StatusKind::kUnknown;
  int32_t status = 0;
  Span<const char> argv = {};
};

// What pack_entry takes at most.
constexpr size_t kMaxEntry = 64 + kMaxArgv;

void pack_entry(Packer* out, const Entry& entry);

// The arguments, each with a NUL between it and the next, cut at the buffer's size. 0 where there are none.
uint16_t read_argv(int proc, pid_t pid, char* space, size_t size);

}  // namespace procleash
