#include "addon/spawn_order.h"

#include <string.h>

#include "core/rights.h"

namespace procleash {

bool read_order(Span<double> params, Span<const char> strings, SpawnOrder* out) {
  if (params.size < kParams || params.size > kParams + kMaxGroups) return false;
  out->params = params;
  out->file = next_string(&strings);
  out->cwd = next_string(&strings);
  for (const char*& path : out->path) path = next_string(&strings);
  out->spill = next_string(&strings);
  out->rest = strings;
  return out->spill != nullptr;
}

const char* next_string(Span<const char>* left) {
  const char* start = left->data;
  const void* end = memchr(start, '\0', left->size);
  if (end == nullptr) return nullptr;
  const size_t size = static_cast<size_t>(static_cast<const char*>(end) - start) + 1;
  *left = Span<const char>{start + size, left->size - size};
  return start;
}

}  // namespace procleash
