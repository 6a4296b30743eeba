#include "addon/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/features.h"
#include "core/pages.h"
#include "core/sys.h"
#include "foreign/snapshot.h"

namespace procleash {

enum class Origin : uint8_t {
  kElsewhere,  // the child of another process
  kUnclear,    // ours: started by the runtime, or come up unseen
  kOrphan,     // ours, and come up to us
};

// A process below the host, from the first look that shows it.
struct Relative {
  pid_t pid;
  uint64_t start;
  Origin origin;
  bool dead;
  uint8_t missed;  // looks in a row that did not show it
  uint8_t turns;   // of the event loop, since it was seen dead and unclear
  Nanos dead_since;
};

struct Relatives {
  Relative* table;  // sorted by pid
  size_t count;
  size_t room;
};

struct Orphans {
  Command* channel;
  Nanos patience;
  Nanos next_look;
  Nanos next_turn;
  Nanos gap;
  int proc;
  bool lists;       // /proc has lists of children
  bool unclear;     // somebody is dead, and maybe the runtime's
  bool turn_asked;  // and not yet made
  bool looking;     // without the lock: to be freed after the look
  bool off;
  int was_subreaper;
  pid_t session;
  uint64_t reaped;
  uint64_t unclaimed;
  Relatives known;
  Relatives spare;
  Snapshot snapshot;
};

namespace {

// From the first gap, after a change, to the longest. Looks take a twentieth of a core at most.
constexpr Nanos kFirstGap = 2 * kMillisecond;
constexpr Nanos kLongestGap = 100 * kMillisecond;
constexpr Nanos kRest = 19;
constexpr Nanos kTurnGap = 10 * kMillisecond;
// A process is in no list for a moment while it goes from one parent to another.
constexpr uint8_t kMostMissed = 2;
// A loop that has gone round twice has seen every child that ended before; the rest is for good measure.
constexpr uint8_t kTurns = 4;
// The lock is held, and the event loop waits.
constexpr int kMostReaped = 64;
// We have several: each has a list of its own.
constexpr uint32_t kOwnThreads = 2;
// A tree may fork all the time.
constexpr size_t kMostShown = 1U << 16;

// P_PIDFD of waitid(2), Linux 5.4.
constexpr auto kPidfd = static_cast<idtype_t>(3);

void note(void* context, pid_t pid) {
  auto* o = static_cast<Orphans*>(context);
  Snapshot* s = &o->snapshot;
  if (s->count == s->room && !reserve_snapshot(s, s->room == 0 ? 256 : s->room * 2)) return;
  if (read_process(o->proc, pid, &s->table[s->count])) s->count++;
}

// Everything below us by the lists of children, which cost what the tree costs. What the supervisor's keepers
// hold is left out: it comes up to them.
void look_below(Orphans* o, pid_t supervisor) {
  const Nanos began = now();
  Snapshot* s = &o->snapshot;
  s->count = 0;
  for_each_child(o->proc, getpid(), kOwnThreads, note, o);
  for (size_t i = 0; i < s->count && s->count < kMostShown; i++) {
    const Process parent = s->table[i];
    if (supervisor > 0 && parent.ppid == supervisor) continue;
    if (parent.alive()) for_each_child(o->proc, parent.pid, parent.threads, note, o);
  }
  sort_processes(s->processes());
  s->cost = now() - began;
}

void take_picture(Orphans* o, pid_t supervisor) {
  if (o->lists) {
    look_below(o, supervisor);
  } else {
    take_snapshot(o->proc, &o->snapshot);
  }
}

const Relative* find(const Relatives& relatives, size_t* from, const Process& process) {
  size_t i = *from;
  while (i < relatives.count && relatives.table[i].pid < process.pid) i++;
  *from = i;
  for (; i < relatives.count && relatives.table[i].pid == process.pid; i++) {
    if (relatives.table[i].start == process.start) return &relatives.table[i];
  }
  return nullptr;
}

// A session is inherited at birth and left only to lead a new one: a child that was born to us is in ours or
// in its own (setsid(2)).
bool session_tells(const Orphans& o, const Process& process) {
  return process.sid != o.session && process.sid != getsid(0) && process.sid != process.pid;
}

Origin origin_of(const Orphans& o, const Relative* before, const Process& process) {
  if (process.ppid != getpid()) return Origin::kElsewhere;
  const bool came_up = before != nullptr && before->origin != Origin::kUnclear;
  return came_up || session_tells(o, process) ? Origin::kOrphan : Origin::kUnclear;
}

Relative relative_of(const Orphans& o, const Relative* before, const Process& process) {
  Relative relative = {};
  relative.pid = process.pid;
  relative.start = process.start;
  relative.origin = origin_of(o, before, process);
  relative.dead = !process.alive();
  if (relative.dead && relative.origin == Origin::kUnclear) {
    const bool known = before != nullptr && before->dead;
    relative.dead_since = known ? before->dead_since : now();
    relative.turns = known ? before->turns : 0;
  }
  return relative;
}

// What a look has not shown may only be between two parents.
void keep_missed(const Relatives& before, Relatives* after) {
  size_t at = 0;
  const size_t shown = after->count;
  for (size_t i = 0; i < before.count; i++) {
    const Relative& old = before.table[i];
    Process process;
    process.pid = old.pid;
    process.start = old.start;
    const Relatives look{after->table, shown, after->room};
    if (old.dead || old.missed == kMostMissed || find(look, &at, process) != nullptr) continue;
    Relative* kept = &after->table[after->count++];
    *kept = old;
    kept->missed++;
  }
}

void sort_relatives(Relatives* relatives) {
  qsort(relatives->table, relatives->count, sizeof(Relative), [](const void* a, const void* b) {
    return static_cast<const Relative*>(a)->pid - static_cast<const Relative*>(b)->pid;
  });
}

// Whether anything is new.
bool take_look(Orphans* o) {
  const Span<Process> shown = o->snapshot.processes();
  Relatives* after = &o->spare;
  const size_t wanted = shown.size + o->known.count;
  if (wanted > after->room && !grow_pages(&after->table, &after->room, wanted * 2)) return false;
  after->count = 0;
  size_t at = 0;
  bool changed = false;
  for (const Process& process : shown) {
    if (process.pid == getpid()) continue;
    const Relative* before = find(o->known, &at, process);
    const Relative relative = relative_of(*o, before, process);
    changed =
        changed || before == nullptr || before->origin != relative.origin || before->dead != relative.dead;
    Relative* last = after->count > 0 ? &after->table[after->count - 1] : nullptr;
    if (last == nullptr || last->pid != relative.pid || last->start != relative.start) {
      after->table[after->count++] = relative;
    } else if (last->origin != relative.origin) {
      // Shown twice, on its way up.
      last->origin = Origin::kElsewhere;
    }
  }
  const size_t seen = after->count;
  keep_missed(o->known, after);
  if (after->count > seen) sort_relatives(after);
  const Relatives before = o->known;
  o->known = *after;
  o->spare = before;
  return changed;
}

// Still the zombie that a look has shown, and ours: then its number is nobody else's until it is reaped.
bool is_still(const Orphans& o, const Relative& relative) {
  Process process;
  return read_process(o.proc, relative.pid, &process) && process.start == relative.start &&
         process.ppid == getpid() && !process.alive();
}

bool wait_for(idtype_t type, id_t id, int options) {
  siginfo_t info = {};
  int status = 0;
  do {
    status = waitid(type, id, &info, WEXITED | WNOHANG | options);
  } while (status != 0 && errno == EINTR);
  return status == 0 && info.si_pid != 0;
}

bool reap_orphan(const Orphans& o, const Relative& relative) {
  const UniqueFd pidfd(pidfd_open(relative.pid));
  if (!is_still(o, relative)) return false;
  if (!pidfd.valid()) return wait_for(P_PID, static_cast<id_t>(relative.pid), 0);
  return wait_for(kPidfd, static_cast<id_t>(pidfd.get()), 0);
}

void count_reaped(Orphans* o, Relative* relative) {
  o->reaped++;
  relative->missed = 1;  // as it will be in the next look
}

// Gives whether there are more of them.
bool reap_orphans(Orphans* o) {
  int tried = 0;
  o->unclear = false;
  for (size_t i = 0; i < o->known.count; i++) {
    Relative* relative = &o->known.table[i];
    if (!relative->dead || relative->missed > 0) continue;
    o->unclear = o->unclear || relative->origin == Origin::kUnclear;
    if (relative->origin != Origin::kOrphan || tried > kMostReaped) continue;
    if (++tried <= kMostReaped && reap_orphan(*o, *relative)) count_reaped(o, relative);
  }
  return tried > kMostReaped;
}

void evaluate(Orphans* o) {
  const bool changed = take_look(o);
  const bool more = reap_orphans(o);
  o->gap = changed ? kFirstGap : min(o->gap * 3 / 2, kLongestGap);
  o->next_look = more ? now() : now() + max(o->gap, o->snapshot.cost * kRest);
}

// Gives when it is to be asked for, if not now.
Nanos ask_for_turn(Reactor* r, Orphans* o) {
  if (!o->unclear || o->turn_asked) return kNever;
  if (now() < o->next_turn) return o->next_turn;
  o->turn_asked = true;
  push_message(r, o->channel, Frame::kOrphans, Span<const char>{});
  return kNever;
}

bool unclaimed(const Orphans& o, const Relative& relative) {
  return relative.turns >= kTurns && now() - relative.dead_since >= o.patience;
}

}  // namespace

int64_t enable_orphans(Reactor* r, Nanos patience) {
  if (r->orphans != nullptr) return -EBUSY;
  if (syscall(SYS_gettid) != getpid()) return -EXDEV;
  UniqueFd proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc.valid()) return -errno;
  const Features features = probe_features(proc.get(), getenv("PROCLEASH_DISABLE"));
  if (features.procfs != Procfs::kOwn) return -ENOENT;
  auto* o = static_cast<Orphans*>(calloc(1, sizeof(Orphans)));
  if (o == nullptr) return -ENOMEM;
  prctl(PR_GET_CHILD_SUBREAPER, &o->was_subreaper, 0, 0, 0);
  o->channel = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? add_command(r) : nullptr;
  if (o->channel == nullptr) {
    free(o);
    return -ENOMEM;
  }
  o->channel->phase = Phase::kForeign;
  o->patience = patience;
  o->proc = proc.release();
  o->lists = features.children;
  o->session = getsid(0);
  o->gap = kFirstGap;
  r->orphans = o;
  wake_thread(r);
  return o->channel->handle;
}

void disable_orphans(Reactor* r) {
  Orphans* o = r->orphans;
  if (o == nullptr || o->off) return;
  prctl(PR_SET_CHILD_SUBREAPER, o->was_subreaper, 0, 0, 0);
  o->off = true;
  o->channel->phase = Phase::kSettled;
  close_if_done(r, o->channel);
  if (!o->looking) free_orphans(r);
}

void free_orphans(Reactor* r) {
  Orphans* o = r->orphans;
  if (o == nullptr) return;
  close(o->proc);
  free_pages(&o->known.table, &o->known.room);
  free_pages(&o->spare.table, &o->spare.room);
  free_snapshot(&o->snapshot);
  free(o);
  r->orphans = nullptr;
}

Nanos run_orphans(Reactor* r) {
  Orphans* o = r->orphans;
  if (o == nullptr) return kNever;
  if (o->next_look <= now()) {
    const pid_t supervisor = r->watched_helper;
    o->looking = true;
    pthread_mutex_unlock(&r->lock);
    take_picture(o, supervisor);
    pthread_mutex_lock(&r->lock);
    o->looking = false;
    if (o->off) {
      free_orphans(r);
      return kNever;
    }
    evaluate(o);
  }
  return min(ask_for_turn(r, o), o->next_look);
}

void reap_unclaimed(Reactor* r) {
  Orphans* o = r->orphans;
  if (o == nullptr || o->off) return;
  o->turn_asked = false;
  o->unclear = false;
  int tried = 0;
  for (size_t i = 0; i < o->known.count; i++) {
    Relative* relative = &o->known.table[i];
    if (!relative->dead || relative->missed > 0 || relative->origin != Origin::kUnclear) continue;
    if (relative->turns < kTurns) relative->turns++;
    if (tried < kMostReaped && unclaimed(*o, *relative) && is_still(*o, *relative)) {
      tried++;
      // __WNOTHREAD: of this thread's own children only. Those of a worker are its to claim, and its loop may
      // be blocked.
      if (wait_for(P_PID, static_cast<id_t>(relative->pid), __WNOTHREAD)) {
        o->unclaimed++;
        count_reaped(o, relative);
        continue;
      }
    }
    o->unclear = true;
  }
  o->next_turn = now() + kTurnGap;
  if (o->unclear) wake_thread(r);
}

size_t describe_orphans(const Reactor* r, Span<double> out) {
  const Orphans* o = r->orphans;
  if (o == nullptr) return 0;
  double heads[4] = {static_cast<double>(o->reaped), static_cast<double>(o->unclaimed), 0, 0};
  size_t size = 4;
  for (size_t i = 0; i < o->known.count; i++) {
    const Relative& relative = o->known.table[i];
    if (relative.missed > 0) continue;
    if (relative.dead && relative.origin == Origin::kUnclear) heads[2]++;
    if (relative.dead || relative.origin != Origin::kOrphan) continue;
    heads[3]++;
    if (size + 2 <= out.size) {
      out[size] = static_cast<double>(relative.pid);
      out[size + 1] = static_cast<double>(relative.start);
    }
    size += 2;
  }
  memcpy(out.data, heads, min(sizeof(heads), out.size * sizeof(double)));
  return size;
}

}  // namespace procleash
