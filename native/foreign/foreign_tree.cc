#include "foreign/foreign_tree.h"

#include <errno.h>

#include "core/sys.h"

namespace procleash {
namespace {

void mark_known(ForeignTree* t, Span<Process> scan) {
  for (Member& m : t->found()) {
    Process* process = find_process(scan, m.last.pid);
    if (process == nullptr || process->start != m.last.start) {
      m.alive = false;
      continue;
    }
    process->mark = kMarkKin;
    see_again(t, &m, *process);
  }
}

// Signal 0 asks whether the group of exactly this leader, and no later one of that number, has a process.
bool group_is_gone(const ForeignTree& t, const Member& m) {
  return pidfd_send_signal(m.pidfd, 0, kPidfdSignalProcessGroup) != 0 && errno == ESRCH &&
         t.features.pidfd_group;
}

// A leader's number ties only as long as it can't belong to others. It can't be given away while a session or
// group uses it: so it is ours as long as each picture shows one of that session or group, or as the kernel
// says so for the pidfd.
void cut_ties(const ForeignTree& t, Span<Process> scan, Member* m) {
  const Process* holder = find_process(scan, m->last.pid);
  if (holder != nullptr && holder->start == m->last.start) return;
  if (holder != nullptr) {
    m->ties_session = false;
    m->ties_group = false;
    return;
  }
  if (m->session_use != t.pictures) m->ties_session = false;
  const bool exact = m->pidfd >= 0 && t.features.pidfd_group;
  if (exact ? group_is_gone(t, *m) : m->group_use != t.pictures) m->ties_group = false;
}

void check_ties(ForeignTree* t, Span<Process> scan) {
  for (const Process& process : scan) {
    Member* session = find_member(*t, process.sid);
    Member* group = find_member(*t, process.pgid);
    if (session != nullptr) session->session_use = t->pictures;
    if (group != nullptr) group->group_use = t->pictures;
  }
  for (Member& m : t->found()) {
    if (m.ties_session || m.ties_group) cut_ties(*t, scan, &m);
    if (!m.ties_group) let_go(t, &m);
  }
}

// A parent that was read alive in the last picture and has gone while this one was taken.
bool parent_has_just_gone(const ForeignTree& t, Span<Process> scan, const Process& process) {
  const Member* parent = find_member(t, process.ppid);
  return parent != nullptr && !parent->alive && parent->seen + 1 == t.pictures &&
         parent->last.start <= process.start && find_process(scan, process.ppid) == nullptr;
}

bool tied_by_number(const ForeignTree& t, const Process& process) {
  const Member* session = find_member(t, process.sid);
  if (session != nullptr && session->ties_session && session->last.start <= process.start) return true;
  const Member* group = find_member(t, process.pgid);
  return group != nullptr && group->ties_group && group->last.start <= process.start;
}

void mark_orphans(const ForeignTree& t, Span<Process> scan) {
  for (Process& process : scan) {
    if (process.mark != kMarkNone) continue;
    if (tied_by_number(t, process) || parent_has_just_gone(t, scan, process)) process.mark = kMarkKin;
  }
}

void mark_never(const ForeignTree& t, Span<Process> scan) {
  for (size_t i = 0; i < t.never_count; i++) {
    Process* process = find_process(scan, t.never[i]);
    if (process != nullptr) process->mark = kMarkNever;
  }
}

bool is_orphan(Span<Process> scan, const Process& process) {
  const Process* parent = find_process(scan, process.ppid);
  return parent == nullptr || parent->mark != kMarkKin;
}

size_t add_new(ForeignTree* t, Span<Process> scan) {
  const size_t known = t->count;
  for (const Process& process : scan) {
    if (process.mark != kMarkKin || !process.alive()) continue;
    const Member* m = find_member(*t, process.pid);
    if (m != nullptr && m->last.start == process.start) continue;
    const bool orphan = is_orphan(scan, process);
    if (add_member(t, process, escape_from_root(process, t->root_group, t->root_session, orphan)) == nullptr)
      break;
  }
  return t->count - known;
}

void look_at_groups(ForeignTree* t, Span<Process> scan) {
  for (Member& m : t->found()) {
    m.outsiders = m.last.pid == t->no_tie.group;
    m.group_shown = false;
    m.group_zombies = false;
  }
  for (const Process& process : scan) {
    Member* leader = find_member(*t, process.pgid);
    if (leader == nullptr) continue;
    leader->outsiders = leader->outsiders || (process.mark != kMarkKin && process.alive());
    leader->group_shown = leader->group_shown || process.alive();
    leader->group_zombies = leader->group_zombies || !process.alive();
  }
}

// A lineage that is a new process all the time is easily in no picture. Of a group the kernel knows.
void find_hidden(ForeignTree* t) {
  t->hidden_groups = 0;
  t->zombie_groups = 0;
  if (!t->features.pidfd_group) return;
  for (const Member& m : t->found()) {
    if (!m.ties_group || m.pidfd < 0 || m.group_shown || group_is_gone(*t, m)) continue;
    if (m.group_zombies) {
      t->zombie_groups++;
    } else {
      t->hidden_groups++;
    }
  }
}

}  // namespace

size_t take_in(ForeignTree* t, Span<Process> scan) {
  t->pictures++;
  for (Process& process : scan) process.mark = kMarkNone;
  mark_never(*t, scan);
  mark_known(t, scan);
  check_ties(t, scan);
  mark_orphans(*t, scan);
  spread_kin(scan, t->no_tie);
  const size_t added = add_new(t, scan);
  look_at_groups(t, scan);
  find_hidden(t);
  t->living = 0;
  for (const Member& m : t->found()) t->living += m.alive ? 1 : 0;
  return added;
}

}  // namespace procleash
