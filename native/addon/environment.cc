#include "addon/environment.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/proc.h"

namespace procleash {
namespace {

void print_id(uint64_t id, char* out) {
  for (size_t i = 0; i < kIdDigits; i++) out[i] = "0123456789abcdef"[(id >> (60 - 4 * i)) & 15];
}

bool value_names(const char* value, const char* digits) {
  for (const char* at = value;;) {
    const char* end = strchr(at, ':');
    const size_t size = end != nullptr ? static_cast<size_t>(end - at) : strlen(at);
    if (size == kIdDigits && memcmp(at, digits, kIdDigits) == 0) return true;
    if (end == nullptr) return false;
    at = end + 1;
  }
}

// Looks through the whole entries of a piece; *used is where the first cut one starts.
bool entries_name(Span<const char> piece, const char* digits, size_t* used) {
  for (;;) {
    const char* entry = piece.data + *used;
    const void* end = memchr(entry, '\0', piece.size - *used);
    if (end == nullptr) return false;
    if (strncmp(entry, kMarkName, kMarkNameSize) == 0 && value_names(entry + kMarkNameSize, digits))
      return true;
    *used = static_cast<size_t>(static_cast<const char*>(end) - piece.data) + 1;
  }
}

}  // namespace

uint64_t new_tree_id() {
  uint64_t id = 0;
  if (syscall(SYS_getrandom, &id, sizeof(id), 0) != static_cast<long>(sizeof(id))) {
    id = static_cast<uint64_t>(now()) * 0x9e3779b97f4a7c15ULL ^ static_cast<uint64_t>(getpid());
  }
  return id;
}

size_t build_mark(const char* outer, uint64_t id, Span<char> out) {
  size_t at = kMarkNameSize;
  memcpy(out.data, kMarkName, kMarkNameSize);
  if (outer != nullptr && outer[0] != '\0') {
    const size_t most = kMaxMark - kMarkNameSize - kIdDigits - 2;
    size_t size = strlen(outer);
    const char* start = size > most ? outer + (size - most) : outer;
    size = min(size, most);
    memcpy(out.data + at, start, size);
    at += size;
    out[at++] = ':';
  }
  print_id(id, out.data + at);
  at += kIdDigits;
  out[at++] = '\0';
  return at;
}

bool has_mark(int proc, pid_t pid, uint64_t id) {
  char digits[kIdDigits];
  print_id(id, digits);
  errno = 0;
  UniqueFd fd = open_proc_file(proc, pid, "environ");
  if (!fd.valid()) return false;
  // The variable may stand anywhere in an environment of any size: the file is read in pieces, and an entry
  // that the end of a piece cuts is carried over.
  char buffer[16384];
  static_assert(kMaxMark < sizeof(buffer), "an entry of ours fits a piece");
  size_t have = 0;
  for (;;) {
    const ssize_t got = read(fd.get(), buffer + have, sizeof(buffer) - have);
    if (got <= 0) return false;
    have += static_cast<size_t>(got);
    size_t used = 0;
    if (entries_name(Span<const char>{buffer, have}, digits, &used)) return true;
    if (used == 0 && have == sizeof(buffer)) used = have;  // longer than any entry of ours
    have -= used;
    memmove(buffer, buffer + used, have);
  }
}

}  // namespace procleash
