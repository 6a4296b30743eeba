#include "core/descendants.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

Activity read_activity(int proc) {
  Activity activity;
  UniqueFd fd(openat(proc, "loadavg", O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t n = fd.valid() ? read(fd.get(), text, sizeof(text) - 1) : -1;
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

struct ListWalk {
  int proc;
  pid_t parent;
  uint64_t signature;
  Descendants* out;  // null where the lists are only read again
  Spares spares = nullptr;
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

void visit_child(void* context, pid_t pid) {
  auto* walk = static_cast<ListWalk*>(context);
  walk->signature += mix(walk->parent, pid);
  if (walk->out == nullptr || (walk->spares != nullptr && walk->spares(pid))) return;
  Process child;
  // A child that is gone already changes the second reading, which brings the full scan.
  if (read_process(walk->proc, pid, &child)) append(walk->out, child);
}

uint64_t read_list(int proc, pid_t pid) {
  ListWalk walk{proc, pid, 0, nullptr};
  for_each_child(proc, pid, 1, visit_child, &walk);
  return walk.signature;
}

struct Lists {
  uint64_t root = 0;   // the signature of the root's own list
  uint64_t whole = 0;  // of all that were read
  bool rest_by_scan = false;
};

// Breadth first: the table is its own queue. Ends where so many wait in it that a scan of all `threads` is
// cheaper.
Lists walk_lists(int proc, pid_t root, Spares spares, uint64_t threads, Descendants* out) {
  Lists lists;
  ListWalk walk{proc, root, 0, out, spares};
  for_each_child(proc, root, 1, visit_child, &walk);
  lists.root = walk.signature;
  walk.spares = nullptr;
  for (size_t i = 0; i < out->count; i++) {
    if ((out->count - i) * kThreadsForOneList > threads) {
      lists.rest_by_scan = true;
      return lists;
    }
    const Process parent = out->table[i];
    if (!parent.alive()) continue;
    walk.parent = parent.pid;
    for_each_child(proc, parent.pid, parent.threads, visit_child, &walk);
  }
  lists.whole = walk.signature;
  return lists;
}

uint64_t read_lists_again(int proc, pid_t root, const Descendants& seen) {
  ListWalk walk{proc, root, read_list(proc, root), nullptr};
  for (const Process& parent : seen.found()) {
    if (!parent.alive()) continue;
    walk.parent = parent.pid;
    for_each_child(proc, parent.pid, parent.threads, visit_child, &walk);
  }
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
  int proc;
  Span<Process> known;
  Descendants* out;
};

// Adds what a scan of the whole of /proc finds and the table does not have yet.
void add_by_scan(int proc, pid_t root, Spares spares, Descendants* out) {
  out->sort_by_pid();
  const size_t known_count = out->count;
  ScanWalk walk{proc, Span<Process>{out->table.data, known_count}, out};
  for_each_process(
      proc,
      [](void* context, pid_t pid) {
        auto* w = static_cast<ScanWalk*>(context);
        Process process;
        if (find_process(w->known, pid) == nullptr && read_process(w->proc, pid, &process))
          append(w->out, process);
      },
      &walk);
  Span<Process> scan{out->table.data + known_count, out->count - known_count};
  size_t kept = known_count;
  for (Process& process : scan) {
    if (spares != nullptr && process.ppid == root && spares(process.pid)) process.mark = kOutside;
  }
  for (Process& process : scan) mark_path(scan, &process, root, walk.known);
  for (const Process& process : scan) {
    if (process.mark == kInside && process.pid != root) out->table[kept++] = process;
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

void collect_descendants(int proc, const Features& features, pid_t root, Descendants* out, Spares spares) {
  out->count = 0;
  out->truncated = false;
  if (features.procfs != Procfs::kOwn) return;
  if (features.children) {
    const Activity before = read_activity(proc);
    Lists lists = walk_lists(proc, root, spares, before.known ? before.threads : UINT64_MAX, out);
    if (lists.rest_by_scan) add_by_scan(proc, root, spares, out);
    if (before.known && read_activity(proc) == before && read_list(proc, root) == lists.root) return;
    if (lists.rest_by_scan) {
      out->count = 0;
      out->truncated = false;
      lists = walk_lists(proc, root, spares, UINT64_MAX, out);
    }
    if (read_lists_again(proc, root, *out) == lists.whole) return;
  }
  add_by_scan(proc, root, spares, out);
}

Escape escape_of(const Process& process, pid_t leader, pid_t keeper) {
  if (process.pgid == leader) return Escape::kNone;
  if (process.sid == leader) return Escape::kGroup;
  return process.ppid == keeper ? Escape::kDaemon : Escape::kSession;
}

}  // namespace procleash
