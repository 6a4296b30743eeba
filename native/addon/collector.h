// Keeps the first and the last half of an output within a bound, and counts what it drops between them.
// Memory grows with what is kept, never with what flows.
#pragma once

#include "core/base.h"

namespace procleash {

struct Collector {
  uint64_t limit = 0;
  uint64_t total = 0;
  char* head = nullptr;
  size_t head_size = 0;
  size_t head_room = 0;
  char* tail = nullptr;  // a ring
  size_t tail_size = 0;
  size_t tail_at = 0;  // where the next byte goes
};

// False where there is no memory: then the bytes are counted as dropped.
bool collect(Collector* c, Span<const char> bytes);

// How many bytes are kept, and their copy in order.
size_t kept_size(const Collector& c);
void copy_kept(const Collector& c, char* out);
void free_collector(Collector* c);

}  // namespace procleash
