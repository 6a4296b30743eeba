#include "core/cgroup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/directory.h"
#include "core/proc.h"

namespace procleash {
namespace {

// A cgroup is busy for moments after its last process has ended.
constexpr int kRemoveTries = 20;
constexpr long kRemovePause = 1'000'000;  // ns
// Deeper than the kernel's default allows anyone to go is nobody's honest work.
constexpr int kMaxDepth = 32;

int write_file(int directory, const char* name, const char* text) {
  UniqueFd fd(openat(directory, name, O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return errno;
  return write(fd.get(), text, strlen(text)) < 0 ? errno : 0;
}

int write_number(int directory, const char* name, int64_t value, const char* rest = "") {
  TextBuffer<64> text;
  text.number(static_cast<uint64_t>(value)).put(rest);
  return write_file(directory, name, text.c_str());
}

LeafFailure set_limits(int directory, const CgroupLimits& limits) {
  int error = 0;
  if (limits.memory >= 0) {
    error = write_number(directory, "memory.max", limits.memory);
    if (error != 0) return {LeafStep::kMemory, error};
    // Swap would only delay the limit. Without swap in the kernel there is no such file.
    write_number(directory, "memory.swap.max", 0);
  }
  if (limits.processes >= 0) {
    error = write_number(directory, "pids.max", limits.processes);
    if (error != 0) return {LeafStep::kProcesses, error};
  }
  if (limits.cpu >= 0) {
    TextBuffer<32> period;
    period.put(" ").number(static_cast<uint64_t>(kCpuPeriod));
    error = write_number(directory, "cpu.max", limits.cpu, period.c_str());
    if (error != 0) return {LeafStep::kCpu, error};
  }
  return {};
}

// The number after a key at the start of a line of a flat keyed file; 0 where there is none.
uint32_t value_of(Span<const char> text, const char* key) {
  const size_t size = strlen(key);
  for (size_t at = 0; at < text.size;) {
    const void* end = memchr(text.data + at, '\n', text.size - at);
    const size_t line =
        end != nullptr ? static_cast<size_t>(static_cast<const char*>(end) - text.data) - at : text.size - at;
    if (line > size + 1 && memcmp(text.data + at, key, size) == 0 && text[at + size] == ' ') {
      uint32_t value = 0;
      for (size_t i = at + size + 1; i < at + line && text[i] >= '0' && text[i] <= '9'; i++) {
        value = value * 10 + static_cast<uint32_t>(text[i] - '0');
      }
      return value;
    }
    at += line + 1;
  }
  return 0;
}

bool is_child_folder(int directory, const char* name) {
  if (name[0] == '.') return false;
  // Files of the kernel have a dot in their name ("cgroup.procs"); so may a folder: only opening tells.
  UniqueFd fd(openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return fd.valid();
}

bool remove_below(int directory, const char* name, int depth) {
  if (unlinkat(directory, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
  if (depth == kMaxDepth) return false;
  UniqueFd folder(openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return errno == ENOENT;
  struct Walk {
    int directory;
    int depth;
  } walk{folder.get(), depth + 1};
  for_each_entry(
      folder.get(),
      [](void* context, const char* entry) {
        auto* w = static_cast<Walk*>(context);
        if (is_child_folder(w->directory, entry)) remove_below(w->directory, entry, w->depth);
        return true;
      },
      &walk);
  return unlinkat(directory, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

void visit_members_below(int directory, VisitMember visit, void* context, int depth) {
  UniqueFd procs(openat(directory, "cgroup.procs", O_RDONLY | O_CLOEXEC));
  if (procs.valid()) {
    char text[4096];
    size_t kept = 0;
    for (;;) {
      const ssize_t n = read(procs.get(), text + kept, sizeof(text) - kept);
      if (n <= 0) break;
      const size_t size = kept + static_cast<size_t>(n);
      size_t start = 0;
      for (size_t i = 0; i < size; i++) {
        if (text[i] != '\n') continue;
        text[i] = '\0';
        const pid_t pid = pid_of_name(text + start);
        if (pid > 0) visit(context, pid);
        start = i + 1;
      }
      kept = size - start;
      memmove(text, text + start, kept);
    }
  }
  if (depth == kMaxDepth) return;
  struct Walk {
    int directory;
    VisitMember visit;
    void* context;
    int depth;
  } walk{directory, visit, context, depth + 1};
  UniqueFd folder(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return;
  for_each_entry(
      folder.get(),
      [](void* data, const char* entry) {
        auto* w = static_cast<Walk*>(data);
        if (!is_child_folder(w->directory, entry)) return true;
        UniqueFd below(openat(w->directory, entry, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (below.valid()) visit_members_below(below.get(), w->visit, w->context, w->depth);
        return true;
      },
      &walk);
}

// The number at the start of a text, and where it ends.
uint64_t number_at(const char* text, const char** end) {
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + static_cast<uint64_t>(*text - '0');
  *end = text;
  return value;
}

bool put_namespace(int proc, LeafPrefix* out) {
  char link[64] = {};  // "pid:[4026531836]"
  if (readlinkat(proc, "self/ns/pid", link, sizeof(link) - 1) <= 0) return false;
  const char* digits = strchr(link, '[');
  if (digits == nullptr) return false;
  const char* end = nullptr;
  out->put("procleash-").number(number_at(digits + 1, &end)).put("-");
  return true;
}

struct Clearing {
  int proc;
  int directory;
  LeafPrefix ours;  // up to the PID namespace: the numbers of another one mean nothing here
};

bool host_lives(int proc, const char* numbers) {
  const char* at = nullptr;
  const auto pid = static_cast<pid_t>(number_at(numbers, &at));
  if (pid <= 1 || *at != '-') return true;
  const char* end = nullptr;
  const uint64_t start = number_at(at + 1, &end);
  if (end == at + 1 || *end != '-') return true;
  Process host;
  return read_process(proc, pid, &host) && host.start == start && host.alive();
}

bool clear_one(void* context, const char* name) {
  auto* c = static_cast<Clearing*>(context);
  const size_t size = c->ours.size();
  if (strncmp(name, c->ours.c_str(), size) != 0 || host_lives(c->proc, name + size)) return true;
  UniqueFd folder(openat(c->directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A keeper that is still stopping what its dead host has left has the lock.
  if (!folder.valid() || flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return true;
  write_file(folder.get(), "cgroup.kill", "1");
  for (int i = 0; i < kRemoveTries && !remove_below(c->directory, name, 0); i++) {
    const struct timespec pause = {0, kRemovePause};
    nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace

bool open_leaf(const char* path, Leaf* out) {
  out->directory = UniqueFd(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!out->directory.valid()) return false;
  out->kill = UniqueFd(openat(out->directory.get(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
  if (!out->kill.valid()) return false;
  out->events = UniqueFd(openat(out->directory.get(), "cgroup.events", O_RDONLY | O_CLOEXEC));
  return out->events.valid();
}

LeafFailure make_leaf(const char* path, const CgroupLimits& limits, Leaf* out) {
  if (mkdir(path, 0755) != 0) return {LeafStep::kMake, errno};
  LeafFailure failure;
  if (!open_leaf(path, out) || flock(out->directory.get(), LOCK_EX | LOCK_NB) != 0) {
    failure = {LeafStep::kMake, errno};
  } else {
    failure = set_limits(out->directory.get(), limits);
  }
  if (failure.step != LeafStep::kNone) {
    *out = Leaf{};
    remove_leaf(path);
  }
  return failure;
}

int enter_leaf(int directory) { return write_file(directory, "cgroup.procs", "0"); }

bool kill_leaf(const Leaf& leaf) { return pwrite(leaf.kill.get(), "1", 1, 0) == 1; }

bool leaf_populated(const Leaf& leaf) {
  char text[128];
  const ssize_t n = pread(leaf.events.get(), text, sizeof(text), 0);
  // ENODEV: removed, which the kernel refuses while a process lives in it.
  if (n <= 0) return n == 0 || errno != ENODEV;
  return value_of(Span<const char>{text, static_cast<size_t>(n)}, "populated") != 0;
}

uint32_t leaf_oom_kills(const Leaf& leaf) {
  UniqueFd fd(openat(leaf.directory.get(), "memory.events", O_RDONLY | O_CLOEXEC));
  char text[512];
  const ssize_t n = fd.valid() ? read(fd.get(), text, sizeof(text)) : 0;
  return n > 0 ? value_of(Span<const char>{text, static_cast<size_t>(n)}, "oom_kill") : 0;
}

void for_each_member(const Leaf& leaf, VisitMember visit, void* context) {
  visit_members_below(leaf.directory.get(), visit, context, 0);
}

bool remove_leaf(const char* path) {
  for (int i = 0; i < kRemoveTries; i++) {
    if (remove_below(AT_FDCWD, path, 0)) return true;
    if (errno != EBUSY && errno != ENOTEMPTY) return false;
    const struct timespec pause = {0, kRemovePause};
    nanosleep(&pause, nullptr);
  }
  return false;
}

void leaf_prefix(int proc, pid_t host, LeafPrefix* out) {
  Process process;
  out->clear();
  if (!read_process(proc, host, &process) || !put_namespace(proc, out)) {
    out->clear();
    return;
  }
  out->number(static_cast<uint64_t>(host)).put("-").number(process.start).put("-");
}

void clear_abandoned(int proc, const char* place) {
  if (procfs_kind(proc) != Procfs::kOwn) return;
  UniqueFd directory(open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Clearing clearing{proc, directory.get(), {}};
  if (directory.valid() && put_namespace(proc, &clearing.ours)) {
    for_each_entry(directory.get(), clear_one, &clearing);
  }
}

}  // namespace procleash
