// Memory from the kernel in whole pages, for tables that grow. The helper has no allocator of a C library:
// its pages would be resident in every keeper. Pages that are not touched cost nothing.
#pragma once

#include <sys/mman.h>

#include "core/base.h"

namespace procleash {

// More room for `*table`, whose elements move with it. False without memory; then nothing has changed.
template <typename T>
bool grow_pages(T** table, size_t* room, size_t wanted) {
  const size_t size = wanted * sizeof(T);
  void* grown =
      *table == nullptr
          ? mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
          : mremap(static_cast<void*>(*table), *room * sizeof(T), size, MREMAP_MAYMOVE);
  if (grown == MAP_FAILED) return false;
  *table = static_cast<T*>(grown);
  *room = wanted;
  return true;
}

template <typename T>
void free_pages(T** table, size_t* room) {
  if (*table != nullptr) munmap(static_cast<void*>(*table), *room * sizeof(T));
  *table = nullptr;
  *room = 0;
}

}  // namespace procleash
