#include "supervisor/tree.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "core/freeze.h"

namespace procleash {

Tree tree;
EndedProcess ended[kMaxEnded];

namespace {

// Untouched pages cost nothing: only what a tree fills is ever resident.
Process stop_table[kMaxTree];
Process current_table[kMaxTree];

constexpr size_t kMaxHeld = 1024;

bool in_group(const Tree& t, const Process& process) { return process.pgid == t.leader.pid; }

EndedProcess* remember(Tree* t, const Process& process) {
  if (t->ended_size == kMaxEnded) return nullptr;
  EndedProcess* e = &ended[t->ended_size++];
  e->process = process;
  e->process.pidfd = 0;
  e->escape = escape_of(process, t->leader.pid, t->keeper);
  e->status_kind = StatusKind::kUnknown;
  e->argv_size = static_cast<uint16_t>(strlen(process.name));
  memcpy(e->argv, process.name, e->argv_size);
  return e;
}

EndedProcess* find_ended(const Tree& t, pid_t pid) {
  for (size_t i = 0; i < t.ended_size; i++) {
    if (ended[i].process.pid == pid) return &ended[i];
  }
  return nullptr;
}

void set_status(EndedProcess* e, int status) {
  bool exited = WIFEXITED(status);
  e->status_kind = exited ? StatusKind::kExited : StatusKind::kSignalled;
  e->status = exited ? WEXITSTATUS(status) : WTERMSIG(status);
}

// A zombie still has its name; its argv is gone, and its parent is the keeper by now, whose it was before.
void remember_zombie(Tree* t, pid_t pid) {
  Process process;
  if (!read_process(t->proc, pid, &process)) process.pid = pid;
  const Process* member = t->members.find(pid);
  if (member != nullptr) process.ppid = member->ppid;
  remember(t, process);
}

// The command that ended by itself opens the list; the host knows its argv.
void remember_leader(Tree* t) {
  Process process;
  process.pid = t->leader.pid;
  process.ppid = t->keeper;
  process.pgid = t->leader.pid;
  process.sid = t->leader.pid;
  process.start = t->leader_start;
  if (remember(t, process) != nullptr) t->ended_count++;
}

// What has no arguments is mostly a zombie: then a bare process is looked at.
void remember_with_argv(Tree* t, Process* process) {
  char argv[kMaxArgv];
  const uint16_t size = read_argv(t->proc, process->pid, argv, sizeof(argv));
  if (size == 0 && process->bare()) {
    Process seen;
    if (read_process(t->proc, process->pid, &seen)) {
      seen.pidfd = process->pidfd;
      *process = seen;
    } else if (!is_shortage(errno)) {
      process->state = 'X';
    }
    if (!process->alive()) return;
  }
  EndedProcess* e = remember(t, *process);
  if (e == nullptr || size == 0) return;
  memcpy(e->argv, argv, size);
  e->argv_size = size;
}

// Whoever is bare may be a zombie. But then its parent lives, unless that is the keeper.
bool anyone_lives(const Tree& t, const Descendants& picture) {
  for (const Process& process : picture.found()) {
    Process seen = process;
    if (process.bare() && process.ppid == t.keeper && !read_process(t.proc, process.pid, &seen)) continue;
    if (seen.alive()) return true;
  }
  return false;
}

// Most of our descriptors stay free for looking.
size_t most_held(const Tree& t) {
  struct rlimit limit = {};
  if (!t.features.pidfd_info || getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return min(static_cast<size_t>(limit.rlim_cur / 4), kMaxHeld);
}

// The tree's picture, or a quicker one with as much left bare as can be. Where no descendant lives, what else
// the cgroup holds.
void look(Tree* t, Descendants* out, bool bare) {
  Search search{t->proc, t->keeper};
  search.loadavg = t->loadavg.get();
  if (!t->own_children.all) search.own_children = t->own_children.fd.get();
  if (bare) search.group = t->leader.pid;
  if (bare) search.most_held = most_held(*t);
  collect_descendants(search, t->features, out);
  if (!t->leaf.valid() || anyone_lives(*t, *out)) return;
  struct Adding {
    int proc;
    Descendants* out;
  } adding{t->proc, out};
  for_each_member(
      t->leaf,
      [](void* context, pid_t pid) {
        auto* a = static_cast<Adding*>(context);
        Process process;
        if (a->out->count == a->out->table.size || !read_process(a->proc, pid, &process)) return;
        a->out->table[a->out->count++] = process;
      },
      &adding);
}

void note_end(Tree* t, pid_t pid, int status) {
  if (pid == t->leader.pid && !t->leader.reaped) {
    t->leader.reaped = true;
    t->leader_status = status;
    t->leader_ended = now();
    if (!t->stopping) remember_leader(t);
  }
  t->reaped_count++;
  EndedProcess* known = find_ended(*t, pid);
  if (known != nullptr) set_status(known, status);
  // Who lived in the picture is counted with it.
  const Process* member = t->stopping ? t->members.find(pid) : nullptr;
  if (t->stopping && (member == nullptr || !member->alive())) t->ended_count++;
  if (t->stopping && (member == nullptr || member->alive())) t->reaped_living++;
}

}  // namespace

bool group_reachable(const Tree& t) { return t.features.pidfd_group || !t.leader.reaped; }

void look_for_stop(Tree* t, bool group_at_once) {
  t->members.table = Span<Process>{stop_table, kMaxTree};
  look(t, &t->members, group_at_once);
}

void look_again(Tree* t) {
  t->current.table = Span<Process>{current_table, kMaxTree};
  look(t, &t->current, false);
}

void begin_counting(Tree* t) {
  for (Process& process : t->members.found()) {
    if (!process.alive()) continue;
    if (t->ended_size < kMaxArgvRead) {
      remember_with_argv(t, &process);
    } else if (!process.bare()) {
      remember(t, process);
    }
    if (process.alive()) t->living_at_stop++;
  }
  t->ended_count += static_cast<uint32_t>(t->living_at_stop);
  t->stopping = true;
  t->reaped_before_stop = t->reaped_count;
}

void signal_members(Tree* t, const Descendants& picture, Span<const int> signals) {
  const bool whole_group = group_reachable(*t);
  if (whole_group) {
    for (int signal : signals) signal_group(t->features, t->leader, signal);
  }
  for (const Process& process : picture.found()) {
    if (!process.alive() || (whole_group && in_group(*t, process))) continue;
    signal_process(t->proc, t->features, process, signals);
  }
}

void signal_command(Tree* t, int signal) {
  if (signal_group(t->features, t->leader, signal) != ESTALE) return;
  // The number alone is not to be trusted any more: the group's members one by one, each proved.
  look_again(t);
  for (const Process& process : t->current.found()) {
    if (!process.alive() || !in_group(*t, process)) continue;
    signal_process(t->proc, t->features, process, Span<const int>{&signal, 1});
  }
}

Hits kill_round(Tree* t) {
  if (t->leaf.valid()) kill_leaf(t->leaf);
  if (group_reachable(*t)) signal_group(t->features, t->leader, SIGKILL);
  struct Round {
    const Tree* tree;
    Hits hits;
  } round{t, {}};
  for_each_own_child(
      t->own_children,
      [](void* context, pid_t pid) {
        auto* r = static_cast<Round*>(context);
        kill(pid, SIGKILL);
        r->hits.seen++;
        if (r->tree->members.find(pid) == nullptr && !was_frozen(pid)) r->hits.newcomers++;
      },
      &round);
  return round.hits;
}

// A cgroup is killed at once, by the kernel.
void freeze_round(Tree* t) {
  if (!t->leaf.valid()) freeze_and_kill(t->proc, t->features, t->keeper, nullptr);
}

void kill_seen(Tree* t) {
  const int signal = SIGKILL;
  look_again(t);
  for (const Process& process : t->current.found()) {
    if (process.alive()) signal_process(t->proc, t->features, process, Span<const int>{&signal, 1});
  }
}

Reaped reap(Tree* t) {
  for (;;) {
    siginfo_t info = {};
    bool want_name = t->stopping && t->ended_size < kMaxEnded;
    if (want_name && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 && info.si_pid > 0 &&
        find_ended(*t, info.si_pid) == nullptr) {
      remember_zombie(t, info.si_pid);
    }
    int status = 0;
    pid_t pid = waitpid(info.si_pid > 0 ? info.si_pid : -1, &status, WNOHANG | __WALL);
    if (pid > 0) {
      note_end(t, pid, status);
      continue;
    }
    if (pid < 0 && errno == EINTR) continue;
    return pid < 0 && errno == ECHILD ? Reaped::kEmpty : Reaped::kSomeLeft;
  }
}

}  // namespace procleash
