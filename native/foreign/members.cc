#include "foreign/members.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "core/pages.h"
#include "core/signals.h"
#include "core/sys.h"

namespace procleash {
namespace {

constexpr int kMostDescriptors = 64;

bool comes_after(const Member& a, const Member& b) {
  return a.last.pid != b.last.pid ? a.last.pid > b.last.pid : a.last.start > b.last.start;
}

void read_name(ForeignTree* t, const Member& m) {
  if (m.name_slot < 0) return;
  const auto slot = static_cast<size_t>(m.name_slot);
  const uint16_t size = read_argv(t->proc, m.last.pid, t->names[slot], kMaxArgv);
  // What has just ended has none any more: the last known stays.
  if (size > 0) t->name_sizes[slot] = size;
}

void give_name(ForeignTree* t, Member* m) {
  if (t->named < static_cast<int>(kMaxNamed)) m->name_slot = t->named++;
  read_name(t, *m);
}

// A pidfd names the group by the leader itself, also after the leader's end: exact where numbers are not.
void hold(ForeignTree* t, Member* m) {
  if (!t->features.pidfd || t->held_descriptors >= kMostDescriptors) return;
  m->pidfd = pidfd_open(m->last.pid);
  if (m->pidfd >= 0 && prove_same(t->proc, m->last) != 0) {
    close(m->pidfd);
    m->pidfd = -1;
  }
  if (m->pidfd >= 0) t->held_descriptors++;
}

void note_leading(ForeignTree* t, Member* m) {
  const bool leads_group = m->last.pgid == m->last.pid && m->last.pgid != t->no_tie.group;
  if (leads_group && !m->ties_group) hold(t, m);
  m->ties_group = m->ties_group || leads_group;
  m->ties_session = m->ties_session || (m->last.sid == m->last.pid && m->last.sid != t->no_tie.session);
}

}  // namespace

Member* find_member(Span<Member> sorted, pid_t pid) {
  size_t low = 0;
  size_t high = sorted.size;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (sorted[middle].last.pid <= pid) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && sorted[low - 1].last.pid == pid ? &sorted[low - 1] : nullptr;
}

Member* find_member(const ForeignTree& t, pid_t pid) { return find_member(t.found(), pid); }

Member* find_root(const ForeignTree& t) {
  for (Member& m : t.found()) {
    if (m.last.pid == t.root && m.last.start == t.root_start) return &m;
  }
  return nullptr;
}

bool has_ended(const Member& m) {
  struct pollfd wait = {m.pidfd, POLLIN, 0};
  return poll(&wait, 1, 0) == 1;
}

void let_go(ForeignTree* t, Member* m) {
  if (m->pidfd < 0) return;
  close(m->pidfd);
  m->pidfd = -1;
  t->held_descriptors--;
}

Member* add_member(ForeignTree* t, const Process& process, Escape escape) {
  if (t->count == t->room && !reserve_members(t, t->room == 0 ? 64 : t->room * 2)) return nullptr;
  Member m;
  m.last = process;
  m.escape = escape;
  m.alive = process.alive();
  m.seen = t->pictures;
  if (t->naming) give_name(t, &m);
  note_leading(t, &m);
  Member* end = t->members + t->count++;
  Member* place = end;
  // Numbers mostly ascend, so that hardly anything has to move.
  while (place > t->members && comes_after(place[-1], m)) place--;
  memmove(static_cast<void*>(place + 1), static_cast<const void*>(place),
          static_cast<size_t>(end - place) * sizeof(Member));
  *place = m;
  return place;
}

void see_again(ForeignTree* t, Member* m, const Process& process) {
  // Seen between fork and setsid before: how it has left its group is known only now.
  if (m->last.pgid != process.pgid || m->last.sid != process.sid) {
    const Member* parent = find_member(*t, process.ppid);
    m->escape =
        escape_from_root(process, t->root_group, t->root_session, parent == nullptr || !parent->alive);
  }
  const bool renamed = memcmp(m->last.name, process.name, sizeof(process.name)) != 0;
  m->last = process;
  m->alive = process.alive();
  if (m->alive) m->seen = t->pictures;
  if (renamed && m->alive) read_name(t, *m);
  note_leading(t, m);
}

bool reserve_members(ForeignTree* t, size_t room) { return grow_pages(&t->members, &t->room, room); }

bool begin_tree(ForeignTree* t, const Process& root) {
  t->root = root.pid;
  t->root_start = root.start;
  t->root_group = root.pgid;
  t->root_session = root.sid;
  return add_member(t, root, Escape::kNone) != nullptr;
}

void free_tree(ForeignTree* t) {
  for (Member& m : t->found()) let_go(t, &m);
  free_pages(&t->members, &t->room);
  t->count = 0;
  if (t->proc >= 0) close(t->proc);
  t->proc = -1;
}

void forget_ended(ForeignTree* t) {
  size_t kept = 0;
  for (Member& m : t->found()) {
    const bool is_root = m.last.pid == t->root && m.last.start == t->root_start;
    const bool needed = is_root || m.alive || m.ties_group || m.ties_session || m.seen + 1 >= t->pictures;
    if (needed) {
      t->members[kept++] = m;
    } else {
      let_go(t, &m);
    }
  }
  t->count = kept;
}

void begin_counting(ForeignTree* t) {
  t->naming = true;
  Member* root = find_root(*t);
  // A recorded root has its name from the start.
  for (Member& m : t->found()) {
    m.past = !m.alive && &m != root;
    if (m.alive && m.name_slot < 0) give_name(t, &m);
  }
}

}  // namespace procleash
