#include "addon/collector.h"

#include <stdlib.h>
#include <string.h>

namespace procleash {
namespace {

constexpr size_t kFirstRoom = 4096;

size_t head_limit(const Collector& c) { return static_cast<size_t>((c.limit + 1) / 2); }
size_t tail_limit(const Collector& c) { return static_cast<size_t>(c.limit / 2); }

bool grow_head(Collector* c, size_t wanted) {
  if (wanted <= c->head_room) return true;
  size_t room = max(c->head_room * 2, max(wanted, kFirstRoom));
  room = min(room, head_limit(*c));
  auto* grown = static_cast<char*>(realloc(c->head, room));
  if (grown == nullptr) return false;
  c->head = grown;
  c->head_room = room;
  return true;
}

void put_tail(Collector* c, Span<const char> bytes) {
  const size_t ring = tail_limit(*c);
  // Only the last ring-full of a long piece can stay.
  if (bytes.size > ring) bytes = Span<const char>{bytes.data + (bytes.size - ring), ring};
  const size_t first = min(bytes.size, ring - c->tail_at);
  memcpy(c->tail + c->tail_at, bytes.data, first);
  memcpy(c->tail, bytes.data + first, bytes.size - first);
  c->tail_at = (c->tail_at + bytes.size) % ring;
  c->tail_size = min(ring, c->tail_size + bytes.size);
}

}  // namespace

bool collect(Collector* c, Span<const char> bytes) {
  c->total += bytes.size;
  const size_t for_head = min(bytes.size, head_limit(*c) - c->head_size);
  if (for_head > 0) {
    if (!grow_head(c, c->head_size + for_head)) return false;
    memcpy(c->head + c->head_size, bytes.data, for_head);
    c->head_size += for_head;
  }
  Span<const char> rest{bytes.data + for_head, bytes.size - for_head};
  if (rest.size == 0 || tail_limit(*c) == 0) return true;
  if (c->tail == nullptr) {
    // Pages that the ring has not reached yet are not resident.
    c->tail = static_cast<char*>(malloc(tail_limit(*c)));
    if (c->tail == nullptr) return false;
  }
  put_tail(c, rest);
  return true;
}

size_t kept_size(const Collector& c) { return c.head_size + c.tail_size; }

void copy_kept(const Collector& c, char* out) {
  if (c.head_size > 0) memcpy(out, c.head, c.head_size);
  if (c.tail_size == 0) return;
  out += c.head_size;
  const size_t ring = tail_limit(c);
  const size_t start = c.tail_size == ring ? c.tail_at : 0;
  const size_t first = min(c.tail_size, ring - start);
  memcpy(out, c.tail + start, first);
  memcpy(out + first, c.tail, c.tail_size - first);
}

void free_collector(Collector* c) {
  if (c == nullptr) return;
  free(c->head);
  free(c->tail);
  free(c);
}

}  // namespace procleash
