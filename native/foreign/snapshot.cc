#include "foreign/snapshot.h"

#include <errno.h>

#include "core/pages.h"

namespace procleash {
namespace {

struct Walk {
  int proc;
  Snapshot* snapshot;
};

bool make_room(Snapshot* s) {
  return s->count < s->room || reserve_snapshot(s, s->room == 0 ? 512 : s->room * 2);
}

void visit(void* context, pid_t pid) {
  auto* walk = static_cast<Walk*>(context);
  Snapshot* s = walk->snapshot;
  if (!make_room(s)) {
    s->error = ENOMEM;
    return;
  }
  errno = 0;
  if (read_process(walk->proc, pid, &s->table[s->count])) {
    s->count++;
  } else if (is_shortage(errno)) {
    s->error = errno;
  }
}

bool is_sorted(Span<Process> processes) {
  for (size_t i = 1; i < processes.size; i++) {
    if (processes[i - 1].pid >= processes[i].pid) return false;
  }
  return true;
}

}  // namespace

void take_snapshot(int proc, Snapshot* s) {
  const Nanos began = now();
  s->count = 0;
  s->error = 0;
  Walk walk{proc, s};
  if (!for_each_process(proc, visit, &walk) && s->error == 0) s->error = errno != 0 ? errno : EIO;
  if (!is_sorted(s->processes())) sort_processes(s->processes());
  s->cost = now() - began;
}

bool reserve_snapshot(Snapshot* s, size_t room) { return grow_pages(&s->table, &s->room, room); }

void free_snapshot(Snapshot* s) {
  free_pages(&s->table, &s->room);
  *s = Snapshot{};
}

}  // namespace procleash
