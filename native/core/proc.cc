#include "core/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/directory.h"
#include "core/unique_fd.h"

namespace procleash {
namespace {

// Longest numbers are 20 digits; more is not of the kernel's making.
bool parse_u64(Span<const char> text, size_t* at, uint64_t* out) {
  size_t i = *at;
  uint64_t value = 0;
  size_t digits = 0;
  while (i < text.size && text[i] >= '0' && text[i] <= '9' && digits < 20) {
    value = value * 10 + static_cast<uint64_t>(text[i] - '0');
    i++;
    digits++;
  }
  if (digits == 0) return false;
  *at = i;
  *out = value;
  return true;
}

bool skip_space(Span<const char> text, size_t* at) {
  if (*at >= text.size || text[*at] != ' ') return false;
  (*at)++;
  return true;
}

// Fields may be negative (tpgid, nice): what is not asked for is only stepped over.
bool skip_field(Span<const char> text, size_t* at) {
  size_t i = *at;
  while (i < text.size && text[i] != ' ' && text[i] != '\n') i++;
  if (i == *at) return false;
  *at = i;
  return skip_space(text, at);
}

bool skip_fields(Span<const char> text, size_t* at, int first, int last) {
  for (int field = first; field <= last; field++) {
    if (!skip_field(text, at)) return false;
  }
  return true;
}

bool parse_field(Span<const char> text, size_t* at, uint64_t* out) {
  return parse_u64(text, at, out) && skip_space(text, at);
}

bool parse_pid_field(Span<const char> text, size_t* at, pid_t* out) {
  uint64_t value = 0;
  if (!parse_u64(text, at, &value) || value > INT32_MAX) return false;
  *out = static_cast<pid_t>(value);
  return skip_space(text, at);
}

// "/proc"-relative path of a process's file, without printf: a number, a slash, a name.
void build_path(char* path, size_t size, pid_t pid, const char* name) {
  char digits[12];
  size_t n = 0;
  auto value = static_cast<uint32_t>(pid);
  do {
    digits[n++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  size_t at = 0;
  while (n > 0 && at + 1 < size) path[at++] = digits[--n];
  if (at + 1 < size) path[at++] = '/';
  for (size_t i = 0; name[i] != '\0' && at + 1 < size; i++) path[at++] = name[i];
  path[at] = '\0';
}

ssize_t read_some(int fd, char* buffer, size_t size) {
  for (;;) {
    ssize_t n = read(fd, buffer, size);
    if (n >= 0 || errno != EINTR) return n;
  }
}

constexpr size_t kLongestNumber = 12;

// Streams one children list through a small buffer; a number cut by the buffer's end is carried over.
bool visit_children_file(int fd, VisitPid visit, void* context) {
  char buffer[4096];
  size_t kept = 0;
  for (;;) {
    ssize_t n = read(fd, buffer + kept, sizeof(buffer) - kept);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    size_t size = kept + static_cast<size_t>(n);
    size_t whole = size;
    while (whole > 0 && buffer[whole - 1] != ' ') whole--;
    Span<const char> text{buffer, whole};
    size_t at = 0;
    for (pid_t pid = next_pid(text, &at); pid != 0; pid = next_pid(text, &at)) visit(context, pid);
    // The kernel fills the buffer as far as whole numbers fit: a shorter answer was the last.
    if (static_cast<size_t>(n) + kLongestNumber < sizeof(buffer) - kept) return true;
    kept = size - whole;
    memmove(buffer, buffer + whole, kept);
  }
}

bool visit_thread_children(int proc, pid_t pid, pid_t thread, VisitPid visit, void* context) {
  char name[40] = "task/";
  build_path(name + 5, sizeof(name) - 5, thread, "children");
  char path[56];
  build_path(path, sizeof(path), pid, name);
  UniqueFd fd(openat(proc, path, O_RDONLY | O_CLOEXEC));
  return fd.valid() && visit_children_file(fd.get(), visit, context);
}

// A directory has a link for each directory in it, beside the two of its own: proc_task_getattr of
// fs/proc/base.c. 0 where that can't be told.
uint32_t count_threads(int proc, pid_t pid) {
  char path[64];
  build_path(path, sizeof(path), pid, "task");
  struct stat task;
  // The call itself: glibc before 2.33 has no function of that name.
  const bool told = syscall(SYS_newfstatat, proc, path, &task, 0) == 0 && task.st_nlink > 2;
  return told ? static_cast<uint32_t>(task.st_nlink - 2) : 0;
}

}  // namespace

bool parse_stat(Span<const char> text, Process* out) {
  size_t at = 0;
  uint64_t pid = 0;
  if (!parse_u64(text, &at, &pid) || pid > INT32_MAX) return false;
  // The name is in parentheses and may hold any byte, ")" and spaces too: the fields start after the last
  // ")".
  size_t close = text.size;
  while (close > at && text[close - 1] != ')') close--;
  if (close == at || close + 3 > text.size) return false;
  Process process;
  const size_t open = at + 2;  // " ("
  if (open < close) {
    const size_t size = min(close - 1 - open, sizeof(process.name) - 1);
    memcpy(process.name, text.data + open, size);
  }
  at = close;
  if (!skip_space(text, &at)) return false;
  process.pid = static_cast<pid_t>(pid);
  process.state = text[at++];
  if (!skip_space(text, &at)) return false;
  if (!parse_pid_field(text, &at, &process.ppid)) return false;
  if (!parse_pid_field(text, &at, &process.pgid)) return false;
  if (!parse_pid_field(text, &at, &process.sid)) return false;
  // The numbers of proc_pid_stat(5) count from 1; 6 is the session.
  uint64_t user = 0;
  uint64_t system = 0;
  uint64_t threads = 0;
  const bool whole = skip_fields(text, &at, 7, 13) && parse_field(text, &at, &user) &&
                     parse_field(text, &at, &system) && skip_fields(text, &at, 16, 19) &&
                     parse_field(text, &at, &threads) && skip_fields(text, &at, 21, 21) &&
                     parse_field(text, &at, &process.start) && skip_fields(text, &at, 23, 23) &&
                     parse_u64(text, &at, &process.pages);
  if (!whole) return false;
  process.cpu = user + system;
  process.threads = static_cast<uint32_t>(threads);
  *out = process;
  return true;
}

pid_t next_pid(Span<const char> text, size_t* position) {
  size_t at = *position;
  while (at < text.size && (text[at] < '0' || text[at] > '9')) at++;
  uint64_t value = 0;
  bool found = parse_u64(text, &at, &value) && value > 0 && value <= INT32_MAX;
  *position = at;
  return found ? static_cast<pid_t>(value) : 0;
}

pid_t pid_of_name(const char* name) {
  Span<const char> text{name, strlen(name)};
  size_t at = 0;
  uint64_t value = 0;
  if (!parse_u64(text, &at, &value) || at != text.size || value == 0 || value > INT32_MAX) return 0;
  return static_cast<pid_t>(value);
}

UniqueFd open_proc_file(int proc, pid_t pid, const char* name) {
  char path[64];
  build_path(path, sizeof(path), pid, name);
  return UniqueFd(openat(proc, path, O_RDONLY | O_CLOEXEC));
}

ssize_t read_proc_file(int proc, pid_t pid, const char* name, char* buffer, size_t size) {
  UniqueFd fd = open_proc_file(proc, pid, name);
  if (!fd.valid()) return -1;
  return read_some(fd.get(), buffer, size);
}

bool read_process(int proc, pid_t pid, Process* out) {
  errno = 0;
  UniqueFd fd = open_proc_file(proc, pid, "stat");
  if (!fd.valid()) return false;
  char buffer[1024];
  // One read gives the whole line: the kernel writes it in one piece.
  ssize_t n = read_some(fd.get(), buffer, sizeof(buffer));
  if (n <= 0) return false;
  return parse_stat(Span<const char>{buffer, static_cast<size_t>(n)}, out);
}

bool is_shortage(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM; }

bool for_each_child(int proc, pid_t pid, uint32_t threads, VisitPid visit, void* context) {
  if (threads == 0) threads = count_threads(proc, pid);
  if (threads == 1) return visit_thread_children(proc, pid, pid, visit, context);
  char path[64];
  build_path(path, sizeof(path), pid, "task");
  UniqueFd tasks(openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!tasks.valid()) return false;
  struct Walk {
    int proc;
    pid_t pid;
    VisitPid visit;
    void* context;
  } walk{proc, pid, visit, context};
  return for_each_entry(
      tasks.get(),
      [](void* data, const char* name) {
        auto* w = static_cast<Walk*>(data);
        pid_t thread = pid_of_name(name);
        // A thread that has just ended handed its children to another one; the walk's second reading finds
        // them.
        if (thread != 0) visit_thread_children(w->proc, w->pid, thread, w->visit, w->context);
        return true;
      },
      &walk);
}

bool for_each_listed(int list, VisitPid visit, void* context) {
  return lseek(list, 0, SEEK_SET) == 0 && visit_children_file(list, visit, context);
}

bool for_each_process(int proc, VisitPid visit, void* context) {
  // A descriptor of our own: the directory's position belongs to the open description.
  UniqueFd directory(openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.valid() && for_each_process_in(directory.get(), visit, context);
}

bool for_each_process_in(int directory, VisitPid visit, void* context) {
  if (lseek(directory, 0, SEEK_SET) != 0) return false;
  struct Walk {
    VisitPid visit;
    void* context;
  } walk{visit, context};
  return for_each_entry(
      directory,
      [](void* data, const char* name) {
        auto* w = static_cast<Walk*>(data);
        pid_t pid = pid_of_name(name);
        if (pid != 0) w->visit(w->context, pid);
        return true;
      },
      &walk);
}

Procfs procfs_kind(int proc) {
  char link[16] = {};
  ssize_t n = readlinkat(proc, "self", link, sizeof(link) - 1);
  if (n <= 0) return Procfs::kMissing;
  return pid_of_name(link) == getpid() ? Procfs::kOwn : Procfs::kForeign;
}

}  // namespace procleash
