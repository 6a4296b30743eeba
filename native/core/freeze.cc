#include "core/freeze.h"

#include <signal.h>
#include <string.h>

#include "core/clock.h"
#include "core/signals.h"

namespace procleash {
namespace {

constexpr size_t kMost = 65536;
constexpr int kFewestLooks = 3;
constexpr Nanos kLooking = 50 * kMillisecond;

// Untouched pages cost nothing.
Process found[kMost];
Process known[kMost];
size_t known_count = 0;

struct Look {
  int proc;
  const Features* features;
  pid_t root;
  Spares spares;
  pid_t parent = 0;
  size_t count = 0;
  size_t newcomers = 0;
};

bool is_known(const Process& process) {
  const Process* before = find_process(Span<Process>{known, known_count}, process.pid);
  return before != nullptr && before->start == process.start;
}

void stop_newcomer(Look* look, const Process& process) {
  if (is_known(process)) return;
  const int stop_signal = SIGSTOP;
  const int error = signal_process(look->proc, *look->features, process, Span<const int>{&stop_signal, 1});
  if (error == 0) look->newcomers++;
}

void visit(void* context, pid_t pid) {
  auto* look = static_cast<Look*>(context);
  if (look->parent == look->root && look->spares != nullptr && look->spares(pid)) return;
  Process process;
  if (look->count == kMost || !read_process(look->proc, pid, &process) || !process.alive()) return;
  // Its parent may have ended since: then it has come up to the root. Whoever else has the number is not
  // ours.
  if (process.ppid != look->parent && process.ppid != look->root) return;
  found[look->count++] = process;
  stop_newcomer(look, process);
}

// Each is stopped before its own children are read: a fork that was under way then (copy_process of
// kernel/fork.c lets it go through) is seen by a later look.
void stop_by_lists(Look* look) {
  look->parent = look->root;
  for_each_child(look->proc, look->root, 1, visit, look);
  for (size_t i = 0; i < look->count; i++) {
    look->parent = found[i].pid;
    for_each_child(look->proc, found[i].pid, found[i].threads, visit, look);
  }
}

void stop_by_picture(Look* look) {
  Descendants picture;
  picture.table = Span<Process>{found, kMost};
  collect_descendants(Search{look->proc, look->root, look->spares}, *look->features, &picture);
  for (const Process& process : picture.found()) {
    if (!process.alive()) continue;
    stop_newcomer(look, process);
    found[look->count++] = process;
  }
}

size_t look_once(Look* look) {
  look->count = 0;
  look->newcomers = 0;
  if (look->features->children) {
    stop_by_lists(look);
  } else {
    stop_by_picture(look);
  }
  memcpy(known, found, look->count * sizeof(Process));
  known_count = look->count;
  sort_processes(Span<Process>{known, known_count});
  return look->newcomers;
}

}  // namespace

void freeze_and_kill(int proc, const Features& features, pid_t root, Spares spares) {
  Look look{proc, &features, root, spares};
  known_count = 0;
  const Nanos until = now() + kLooking;
  for (int looks = 1; look_once(&look) > 0; looks++) {
    if (looks >= kFewestLooks && now() >= until) break;
  }
  const int kill_signal = SIGKILL;
  for (size_t i = 0; i < known_count; i++) {
    signal_process(proc, features, known[i], Span<const int>{&kill_signal, 1});
  }
}

bool was_frozen(pid_t pid) { return find_process(Span<Process>{known, known_count}, pid) != nullptr; }

}  // namespace procleash
