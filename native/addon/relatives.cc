#include "addon/relatives.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/pages.h"

namespace procleash {
namespace {

// A process is in no list for a moment while it goes from one parent to another.
constexpr uint8_t kMostMissed = 2;
// We have several: each has a list of its own.
constexpr uint32_t kOwnThreads = 2;
// A tree may fork all the time.
constexpr size_t kMostShown = 1U << 16;

void note(void* context, pid_t pid) {
  auto* r = static_cast<Relatives*>(context);
  Snapshot* s = &r->snapshot;
  if (s->count == s->room && !reserve_snapshot(s, s->room == 0 ? 256 : s->room * 2)) return;
  if (read_process(r->proc, pid, &s->table[s->count])) s->count++;
}

// By the lists of children, which cost what the tree costs.
void look_below(Relatives* r, pid_t supervisor) {
  const Nanos began = now();
  Snapshot* s = &r->snapshot;
  s->count = 0;
  for_each_child(r->proc, getpid(), kOwnThreads, note, r);
  for (size_t i = 0; i < s->count && s->count < kMostShown; i++) {
    const Process parent = s->table[i];
    if (supervisor > 0 && parent.ppid == supervisor) continue;
    if (parent.alive()) for_each_child(r->proc, parent.pid, parent.threads, note, r);
  }
  sort_processes(s->processes());
  s->cost = now() - began;
}

const Relative* find(Span<Relative> sorted, size_t* from, pid_t pid, uint64_t start) {
  size_t i = *from;
  while (i < sorted.size && sorted[i].pid < pid) i++;
  *from = i;
  for (; i < sorted.size && sorted[i].pid == pid; i++) {
    if (sorted[i].start == start) return &sorted[i];
  }
  return nullptr;
}

// A session is inherited at birth and left only to lead a new one: a child that was born to us is in ours or
// in its own (setsid(2)).
bool session_tells(const Relatives& r, const Process& process) {
  return process.sid != r.session && process.sid != getsid(0) && process.sid != process.pid;
}

Origin origin_of(const Relatives& r, const Relative* before, const Process& process) {
  if (process.ppid != getpid()) return Origin::kElsewhere;
  const bool came_up = before != nullptr && before->origin != Origin::kUnclear;
  return came_up || session_tells(r, process) ? Origin::kOrphan : Origin::kUnclear;
}

Relative relative_of(const Relatives& r, const Relative* before, const Process& process) {
  Relative relative = {};
  relative.pid = process.pid;
  relative.start = process.start;
  relative.origin = origin_of(r, before, process);
  relative.dead = !process.alive();
  if (!relative.dead) return relative;
  const bool known = before != nullptr && before->dead;
  relative.dead_since = known ? before->dead_since : now();
  relative.turns = known ? before->turns : 0;
  return relative;
}

// Behind those that are there already. One that the picture shows twice was on its way up.
void put(Relative* table, size_t* count, const Relative& relative) {
  Relative* last = *count > 0 ? &table[*count - 1] : nullptr;
  if (last == nullptr || last->pid != relative.pid || last->start != relative.start) {
    table[(*count)++] = relative;
  } else if (last->origin != relative.origin) {
    last->origin = Origin::kElsewhere;
  }
}

// What a look has not shown may only be between two parents.
void keep_missed(Span<Relative> before, Relative* table, size_t* count) {
  const Span<Relative> shown{table, *count};
  size_t at = 0;
  for (const Relative& old : before) {
    if (old.dead || old.missed == kMostMissed) continue;
    if (find(shown, &at, old.pid, old.start) != nullptr) continue;
    Relative* kept = &table[(*count)++];
    *kept = old;
    kept->missed++;
  }
  if (*count == shown.size) return;
  qsort(table, *count, sizeof(Relative), [](const void* a, const void* b) {
    return static_cast<const Relative*>(a)->pid - static_cast<const Relative*>(b)->pid;
  });
}

}  // namespace

void take_picture(Relatives* relatives, pid_t supervisor) {
  if (relatives->lists) {
    look_below(relatives, supervisor);
  } else {
    take_snapshot(relatives->proc, &relatives->snapshot);
  }
}

bool take_in_picture(Relatives* relatives) {
  const Span<Process> shown = relatives->snapshot.processes();
  const Span<Relative> known{relatives->table, relatives->count};
  const size_t most = shown.size + known.size;
  if (most > relatives->spare_room && !grow_pages(&relatives->spare, &relatives->spare_room, most * 2)) {
    return false;
  }
  Relative* table = relatives->spare;
  size_t count = 0;
  size_t at = 0;
  bool changed = false;
  for (const Process& process : shown) {
    if (process.pid == getpid()) continue;
    const Relative* before = find(known, &at, process.pid, process.start);
    const Relative relative = relative_of(*relatives, before, process);
    changed =
        changed || before == nullptr || before->origin != relative.origin || before->dead != relative.dead;
    put(table, &count, relative);
  }
  keep_missed(known, table, &count);
  const size_t room = relatives->spare_room;
  relatives->spare = relatives->table;
  relatives->spare_room = relatives->room;
  relatives->table = table;
  relatives->room = room;
  relatives->count = count;
  return changed;
}

bool is_still(const Relatives& relatives, const Relative& relative) {
  Process process;
  return read_process(relatives.proc, relative.pid, &process) && process.start == relative.start &&
         process.ppid == getpid() && !process.alive();
}

void free_relatives(Relatives* relatives) {
  close(relatives->proc);
  free_pages(&relatives->table, &relatives->room);
  free_pages(&relatives->spare, &relatives->spare_room);
  free_snapshot(&relatives->snapshot);
}

}  // namespace procleash
