// What /proc and cgroups say: texts in which a command may have put what it likes (its name, its environment,
// the names of its cgroups).
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/proc.h"
#include "foreign/process_events.h"
#include "targets.h"

// For the parsers in their anonymous namespaces; so these two files are not compiled by themselves.
#include "addon/environment.cc"
#include "core/cgroup.cc"

namespace procleash {

void fuzz_stat(Span<const char> input) {
  Process process;
  if (!parse_stat(input, &process)) return;
  must(process.pid >= 0 && process.ppid >= 0 && process.pgid >= 0 && process.sid >= 0);
  must(process.name[sizeof(process.name) - 1] == '\0');
}

namespace {

void fuzz_names(Span<const char> input) {
  char name[64] = {};
  memcpy(name, input.data, min(input.size, sizeof(name) - 1));
  must(pid_of_name(name) >= 0);
}

}  // namespace

void fuzz_children(Span<const char> input) {
  if (input.size == 0) return;
  size_t at = 0;
  for (;;) {
    const size_t before = at;
    const pid_t pid = next_pid(input, &at);
    if (pid == 0) break;
    must(pid > 0 && at > before && at <= input.size);
  }
  fuzz_names(input);
  static const int list = memfd_create("list", MFD_CLOEXEC);
  if (ftruncate(list, 0) != 0 || pwrite(list, input.data, input.size, 0) < 0) return;
  for_each_listed(
      list, [](void*, pid_t pid) { must(pid > 0); }, nullptr);
}

void fuzz_environ(Span<const char> input) {
  char digits[kIdDigits];
  print_id(0x0123456789abcdefULL, digits);
  size_t used = 0;
  if (!entries_name(input, digits, &used)) must(used <= input.size);
}

namespace {

void fuzz_line(Span<const char> line) {
  static CgroupPath own;
  static CgroupPath root;
  static CgroupPath mount_point;
  static CgroupPath folder;
  if (parse_own_cgroup(line, &folder)) own = folder;
  if (parse_cgroup2_mount(line, &root, &mount_point)) cgroup_folder(own, root, mount_point, &folder);
}

}  // namespace

void fuzz_cgroup(Span<const char> input) {
  value_of(input, "populated");
  value_of(input, "oom_kill");
  size_t start = 0;
  for (size_t i = 0; i <= input.size; i++) {
    if (i < input.size && input[i] != '\n') continue;
    fuzz_line(Span<const char>{input.data + start, i - start});
    start = i + 1;
  }
  char name[256] = {};
  memcpy(name, input.data, min(input.size, sizeof(name) - 1));
  host_lives(-1, name);
}

void fuzz_births(Span<const char> input) {
  Birth birth;
  if (parse_birth(input, &birth)) must(birth.child > 1);
}

}  // namespace procleash
