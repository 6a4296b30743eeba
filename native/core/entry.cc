#include "core/entry.h"

#include <unistd.h>

namespace procleash {
namespace {

// USER_HZ, what /proc counts in: 100 on every architecture of our range (time(7)).
constexpr double kMillisecondsPerTick = 10;

}  // namespace

void pack_entry(Packer* out, const Entry& entry) {
  const Process& process = entry.process;
  out->put(static_cast<int32_t>(process.pid));
  out->put(static_cast<int32_t>(process.ppid));
  out->put(static_cast<int32_t>(process.pgid));
  out->put(static_cast<int32_t>(process.sid));
  out->put(static_cast<double>(process.start));
  out->put(static_cast<double>(process.cpu) * kMillisecondsPerTick);
  out->put(static_cast<double>(process.pages) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  out->put(process.threads);
  out->put(process.state);
  out->put(entry.escape);
  out->put(entry.reason);
  out->put(entry.status_kind);
  out->put(entry.status);
  out->put(static_cast<uint16_t>(entry.argv.size));
  out->bytes(entry.argv.data, entry.argv.size);
}

uint16_t read_argv(int proc, pid_t pid, char* space, size_t size) {
  ssize_t n = read_proc_file(proc, pid, "cmdline", space, size);
  if (n <= 0) return 0;
  // The last NUL ends the last argument and separates nothing.
  if (space[n - 1] == '\0') n--;
  return static_cast<uint16_t>(n);
}

}  // namespace procleash
