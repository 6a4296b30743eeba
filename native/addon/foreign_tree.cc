#include "addon/foreign_tree.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/signals.h"
#include "core/sys.h"

namespace procleash {
namespace {

constexpr int kMostDescriptors = 64;

int order(const void* a, const void* b) {
  const Process& x = static_cast<const Member*>(a)->last;
  const Process& y = static_cast<const Member*>(b)->last;
  if (x.pid != y.pid) return x.pid < y.pid ? -1 : 1;
  if (x.start != y.start) return x.start < y.start ? -1 : 1;
  return 0;
}

// The member of that number that was started last; numbers may come again within one tree.
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

void read_name(ForeignTree* t, const Member& m) {
  if (m.name_slot < 0) return;
  const auto slot = static_cast<size_t>(m.name_slot);
  const uint16_t size = read_argv(t->proc, m.last.pid, t->names[slot], kMaxArgv);
  // What has just ended has none any more: the last known stays.
  if (size > 0) t->name_sizes[slot] = size;
}

// A pidfd names the group by the leader itself, also after the leader's end: exact where numbers are not.
void hold(ForeignTree* t, Member* m) {
  if (!t->features.pidfd || t->held_descriptors >= kMostDescriptors) return;
  m->pidfd = pidfd_open(m->last.pid);
  Process again;
  if (m->pidfd >= 0 && (!read_process(t->proc, m->last.pid, &again) || again.start != m->last.start)) {
    close(m->pidfd);
    m->pidfd = -1;
  }
  if (m->pidfd >= 0) t->held_descriptors++;
}

void release(ForeignTree* t, Member* m) {
  if (m->pidfd < 0) return;
  close(m->pidfd);
  m->pidfd = -1;
  t->held_descriptors--;
}

void note_leading(ForeignTree* t, Member* m) {
  const bool leads_group = m->last.pgid == m->last.pid && m->last.pgid != t->no_tie.group;
  if (leads_group && !m->ties_group) hold(t, m);
  m->ties_group = m->ties_group || leads_group;
  m->ties_session = m->ties_session || (m->last.sid == m->last.pid && m->last.sid != t->no_tie.session);
}

Member* add_member(ForeignTree* t, const Process& process, Escape escape) {
  if (t->count == t->room) {
    const size_t room = t->room == 0 ? 64 : t->room * 2;
    auto* grown = static_cast<Member*>(realloc(static_cast<void*>(t->members), room * sizeof(Member)));
    if (grown == nullptr) return nullptr;
    t->members = grown;
    t->room = room;
  }
  Member* m = &t->members[t->count++];
  *m = Member{};
  m->last = process;
  m->escape = escape;
  m->alive = process.alive();
  m->seen = t->pictures;
  if (t->named < static_cast<int>(kMaxNamed)) m->name_slot = t->named++;
  read_name(t, *m);
  note_leading(t, m);
  return m;
}

void see_again(ForeignTree* t, Member* m, const Process& process) {
  const bool renamed = memcmp(m->last.name, process.name, sizeof(process.name)) != 0;
  m->last = process;
  m->alive = process.alive();
  if (m->alive) m->seen = t->pictures;
  if (renamed && m->alive) read_name(t, *m);
  note_leading(t, m);
}

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
    if (!m.ties_group) release(t, &m);
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
    // Only those that were known before are sorted.
    const Member* m = find_member(Span<Member>{t->members, known}, process.pid);
    if (m != nullptr && m->last.start == process.start) continue;
    const bool orphan = is_orphan(scan, process);
    if (add_member(t, process, escape_from_root(process, t->root_group, t->root_session, orphan)) == nullptr)
      break;
  }
  const size_t added = t->count - known;
  if (added > 0) qsort(t->members, t->count, sizeof(Member), order);
  return added;
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

int signal_led_group(const ForeignTree& t, const Member& m, int signal) {
  Process again;
  const bool there = read_process(t.proc, m.last.pid, &again) && again.start == m.last.start;
  GroupLeader leader;
  leader.pid = m.last.pid;
  leader.pidfd = UniqueFd(m.pidfd);
  leader.reaped = !there;
  const int error = signal_group(t.features, leader, signal);
  leader.pidfd.release();  // the member's own
  return error;
}

void ask(ForeignTree* t, Member* m, int signal) {
  const int signals[2] = {signal, SIGCONT};
  m->asked = true;
  const int error = signal_process(t->proc, t->features, m->last, Span<const int>{signals, 2});
  m->forbidden = error == EPERM;
}

bool ask_root_group(ForeignTree* t, int signal) {
  const Member* root = find_member(*t, t->root);
  if (root == nullptr || !root->ties_group || root->outsiders) return false;
  if (signal_led_group(*t, *root, signal) != 0) return false;
  // A signal waits in a stopped process: the handler runs once it is continued.
  signal_led_group(*t, *root, SIGCONT);
  return true;
}

}  // namespace

bool begin_tree(ForeignTree* t, const Process& root) {
  t->names = static_cast<char(*)[kMaxArgv]>(malloc(kMaxNamed * kMaxArgv));
  t->root = root.pid;
  t->root_start = root.start;
  t->root_group = root.pgid;
  t->root_session = root.sid;
  return t->names != nullptr && add_member(t, root, Escape::kNone) != nullptr;
}

void free_tree(ForeignTree* t) {
  for (Member& m : t->found()) release(t, &m);
  free(t->members);
  free(t->names);
  t->members = nullptr;
  t->names = nullptr;
  t->count = 0;
  if (t->proc >= 0) close(t->proc);
  t->proc = -1;
}

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

void kill_zombie_groups(ForeignTree* t) {
  for (const Member& m : t->found()) {
    const bool only_zombies = m.ties_group && m.pidfd >= 0 && m.group_zombies && !m.group_shown;
    if (only_zombies && !m.outsiders) signal_led_group(*t, m, SIGKILL);
  }
}

void ask_members(ForeignTree* t, int signal) {
  t->asked_at = start_ticks(now());
  t->asked_group = ask_root_group(t, signal);
  for (Member& m : t->found()) {
    if (t->asked_group && m.last.pgid == t->root) m.asked = true;
    if (m.alive && !m.asked) ask(t, &m, signal);
  }
}

void ask_missed(ForeignTree* t, int signal) {
  for (Member& m : t->found()) {
    if (!m.alive || m.asked || m.last.start >= t->asked_at) continue;
    // A group signal is atomic against fork: it reached also those that no picture showed.
    if (t->asked_group && m.last.pgid == t->root) continue;
    ask(t, &m, signal);
  }
}

size_t kill_members(ForeignTree* t, bool thorough) {
  size_t hit = 0;
  for (Member& m : t->found()) {
    // Atomic against fork, where a list of pids is not.
    m.group_hit = m.ties_group && !m.outsiders && signal_led_group(*t, m, SIGKILL) == 0;
    if (m.group_hit) hit++;
  }
  const int kill_signal = SIGKILL;
  for (Member& m : t->found()) {
    if (!m.alive) continue;
    const Member* leader = find_member(*t, m.last.pgid);
    if (!thorough && leader != nullptr && leader->group_hit) continue;
    const int error = signal_process(t->proc, t->features, m.last, Span<const int>{&kill_signal, 1});
    m.forbidden = error == EPERM;
    if (error == 0) hit++;
  }
  return hit;
}

}  // namespace procleash
