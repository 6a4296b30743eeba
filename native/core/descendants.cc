#include "core/descendants.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys.h"

namespace procleash {
namespace {

constexpr uint8_t kUnknown = 0;
constexpr uint8_t kInside = 1;
constexpr uint8_t kOutside = 2;

// How many threads the system has and which number was given last (proc_loadavg(5)): a fork changes the
// second, a reaped process the first.
struct Activity {
  bool known = false;
  uint64_t threads = 0;
  uint64_t last_pid = 0;

  bool operator==(const Activity&) const = default;
};

Activity read_activity(const Search& search) {
  Activity activity;
  UniqueFd opened;
  if (search.loadavg < 0) opened = open_loadavg(search.proc);
  char text[128];
  const int fd = search.loadavg < 0 ? opened.get() : search.loadavg;
  const ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
  if (n <= 0) return activity;
  text[n] = '\0';
  const char* slash = strchr(text, '/');
  if (slash == nullptr) return activity;
  char* end = nullptr;
  activity.threads = strtoull(slash + 1, &end, 10);
  activity.last_pid = strtoull(end, nullptr, 10);
  activity.known = true;
  return activity;
}

// What a scan is worth: a list that is read for the first time costs the kernel four entries of /proc, a
// process that a scan meets two at most, and mostly none.
constexpr uint64_t kThreadsForOneList = 3;

// A process of which no more is known than its numbers.
Process bare_process(pid_t pid, pid_t parent, pid_t group, pid_t session) {
  Process process;
  process.pid = pid;
  process.ppid = parent;
  process.pgid = group;
  process.sid = session;
  return process;
}

// The group where it has to be known. 0 is that of kernel threads, half of a system's processes, and of who
// came into this PID namespace with a group of another. A tree that began with a session of its own has
// neither.
pid_t group_of(const Search& search, pid_t pid) { return search.group == 0 ? -1 : getpgid(pid); }

struct ListWalk {
  const Search& search;
  Descendants* out;                 // null where the lists are only read again
  const Process* parent = nullptr;  // null for the root
  size_t held = 0;
  uint64_t signature = 0;

  pid_t parent_pid() const { return parent == nullptr ? search.root : parent->pid; }
};

// Order-free: the sum over all (parent, child) pairs, each mixed so that swaps do not cancel out.
uint64_t mix(pid_t parent, pid_t child) {
  uint64_t x = (static_cast<uint64_t>(static_cast<uint32_t>(parent)) << 32) | static_cast<uint32_t>(child);
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15ULL;
  x ^= x >> 29;
  return x;
}

bool append(Descendants* out, const Process& process) {
  if (out->count == out->table.size) {
    out->truncated = true;
    return false;
  }
  out->table[out->count++] = process;
  return true;
}

// Whether the parent's number is still its own.
bool is_still_itself(const Search& search, const Process* parent) {
  if (parent == nullptr) return true;
  if (parent->held()) return pidfd_send_signal(parent->pidfd, 0, 0) == 0;
  return parent->bare() && getpgid(parent->pid) == search.group;
}

// The child is pinned, then asked for its parent, then the parent looked at: no number can have gone to
// others in between.
bool hold_child(ListWalk* walk, pid_t pid, pid_t group, Process* child) {
  const Search& search = walk->search;
  if (walk->held == search.most_held || walk->out->count == walk->out->table.size) return false;
  UniqueFd pidfd(pidfd_open(pid));
  if (pidfd.get() <= 0 || pidfd_parent(pidfd.get()) != walk->parent_pid()) return false;
  if (!is_still_itself(search, walk->parent)) return false;
  *child = bare_process(pid, walk->parent_pid(), group, getsid(pid));
  child->pidfd = pidfd.release();
  walk->held++;
  return true;
}

void visit_child(void* context, pid_t pid) {
  auto* walk = static_cast<ListWalk*>(context);
  const Search& search = walk->search;
  walk->signature += mix(walk->parent_pid(), pid);
  if (walk->out == nullptr) return;
  if (walk->parent == nullptr && search.spares != nullptr && search.spares(pid)) return;
  Process child;
  const pid_t group = group_of(search, pid);
  if (group == search.group) {
    append(walk->out, bare_process(pid, walk->parent_pid(), group, group));
    return;
  }
  // A child that is gone already changes the second reading, which brings the full scan.
  if (hold_child(walk, pid, group, &child) || read_process(search.proc, pid, &child))
    append(walk->out, child);
}

void walk_own_list(ListWalk* walk) {
  const Search& search = walk->search;
  walk->parent = nullptr;
  if (search.own_children >= 0) {
    for_each_listed(search.own_children, visit_child, walk);
  } else {
    for_each_child(search.proc, search.root, 1, visit_child, walk);
  }
}

void walk_list(ListWalk* walk, const Process& parent) {
  if (!parent.alive()) return;
  walk->parent = &parent;
  for_each_child(walk->search.proc, parent.pid, parent.threads, visit_child, walk);
}

uint64_t read_own_list(const Search& search) {
  ListWalk walk{search, nullptr};
  walk_own_list(&walk);
  return walk.signature;
}

struct Lists {
  uint64_t root = 0;   // the signature of the root's own list
  uint64_t whole = 0;  // of all that were read
  bool rest_by_scan = false;
};

// Breadth first: the table is its own queue. Ends where so many wait in it that a scan of all `threads` is
// cheaper.
Lists walk_lists(const Search& search, uint64_t threads, Descendants* out) {
  Lists lists;
  ListWalk walk{search, out};
  walk_own_list(&walk);
  lists.root = walk.signature;
  for (size_t i = 0; i < out->count; i++) {
    if ((out->count - i) * kThreadsForOneList > threads) {
      lists.rest_by_scan = true;
      return lists;
    }
    const Process parent = out->table[i];
    walk_list(&walk, parent);
  }
  lists.whole = walk.signature;
  return lists;
}

uint64_t read_lists_again(const Search& search, const Descendants& seen) {
  ListWalk walk{search, nullptr};
  walk_own_list(&walk);
  for (const Process& parent : seen.found()) walk_list(&walk, parent);
  return walk.signature;
}

void sift_down(Span<Process> heap, size_t at) {
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= heap.size) return;
    if (child + 1 < heap.size && heap[child].pid < heap[child + 1].pid) child++;
    if (heap[at].pid >= heap[child].pid) return;
    Process swapped = heap[at];
    heap[at] = heap[child];
    heap[child] = swapped;
    at = child;
  }
}

// Follows the parents upwards until a process whose place is known, then marks the whole path with it. The
// step count bounds the walk: a scan is not atomic, so that reused numbers could make the parents a circle.
void mark_path(Span<Process> scan, Process* from, pid_t root, Span<Process> known) {
  uint8_t verdict = kOutside;
  Process* at = from;
  size_t steps = 0;
  for (; steps <= scan.size; steps++) {
    if (at->mark != kUnknown) {
      verdict = at->mark;
      break;
    }
    if (at->ppid == root || find_process(known, at->ppid) != nullptr) {
      verdict = kInside;
      break;
    }
    Process* parent = find_process(scan, at->ppid);
    if (parent == nullptr) break;
    at = parent;
  }
  at = from;
  for (size_t i = 0; i <= steps && at != nullptr && at->mark == kUnknown; i++) {
    at->mark = verdict;
    at = find_process(scan, at->ppid);
  }
}

struct ScanWalk {
  const Search& search;
  Span<Process> known;
  Descendants* out;
};

// Adds what a scan of the whole of /proc finds and the table does not have yet.
void add_by_scan(const Search& search, Descendants* out) {
  out->sort_by_pid();
  const size_t known_count = out->count;
  ScanWalk walk{search, Span<Process>{out->table.data, known_count}, out};
  for_each_process(
      search.proc,
      [](void* context, pid_t pid) {
        auto* w = static_cast<ScanWalk*>(context);
        const Search& search = w->search;
        if (find_process(w->known, pid) != nullptr) return;
        const pid_t group = group_of(search, pid);
        Process process;
        if (group == search.group) {
          process = bare_process(pid, 0, group, group);
          process.mark = kInside;
        } else if (group == 0 || !read_process(search.proc, pid, &process)) {
          return;
        }
        append(w->out, process);
      },
      &walk);
  Span<Process> scan{out->table.data + known_count, out->count - known_count};
  size_t kept = known_count;
  for (Process& process : scan) {
    const bool own = process.ppid == search.root;
    if (own && search.spares != nullptr && search.spares(process.pid)) process.mark = kOutside;
  }
  for (Process& process : scan) mark_path(scan, &process, search.root, walk.known);
  for (const Process& process : scan) {
    if (process.mark == kInside && process.pid != search.root) out->table[kept++] = process;
  }
  out->count = kept;
}

}  // namespace

Process* find_process(Span<Process> sorted, pid_t pid) {
  size_t low = 0;
  size_t high = sorted.size;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (sorted[middle].pid < pid) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < sorted.size && sorted[low].pid == pid ? &sorted[low] : nullptr;
}

// Heapsort: qsort(3) of some C libraries allocates.
void sort_processes(Span<Process> processes) {
  for (size_t i = processes.size / 2; i-- > 0;) sift_down(processes, i);
  for (size_t end = processes.size; end > 1; end--) {
    Process largest = processes[0];
    processes[0] = processes[end - 1];
    processes[end - 1] = largest;
    sift_down(Span<Process>{processes.data, end - 1}, 0);
  }
}

Process* Descendants::find(pid_t pid) const { return find_process(found(), pid); }

void Descendants::sort_by_pid() { sort_processes(found()); }

void Descendants::release() {
  for (Process& process : found()) {
    if (process.held()) UniqueFd(process.pidfd).reset();
    process.pidfd = 0;
  }
}

UniqueFd open_loadavg(int proc) { return UniqueFd(openat(proc, "loadavg", O_RDONLY | O_CLOEXEC)); }

void collect_descendants(const Search& search, const Features& features, Descendants* out) {
  out->count = 0;
  out->truncated = false;
  if (features.procfs != Procfs::kOwn) return;
  if (features.children) {
    const Activity before = read_activity(search);
    Lists lists = walk_lists(search, before.known ? before.threads : UINT64_MAX, out);
    if (lists.rest_by_scan) add_by_scan(search, out);
    if (before.known && read_activity(search) == before && read_own_list(search) == lists.root) return;
    if (lists.rest_by_scan) {
      out->release();
      out->count = 0;
      out->truncated = false;
      lists = walk_lists(search, UINT64_MAX, out);
    }
    if (read_lists_again(search, *out) == lists.whole) return;
  }
  add_by_scan(search, out);
}

Escape escape_of(const Process& process, pid_t leader, pid_t keeper) {
  if (process.pgid == leader) return Escape::kNone;
  if (process.sid == leader) return Escape::kGroup;
  return process.ppid == keeper ? Escape::kDaemon : Escape::kSession;
}

}  // namespace procleash
