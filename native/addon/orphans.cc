#include "addon/orphans.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "addon/relatives.h"
#include "core/features.h"
#include "core/sys.h"

namespace procleash {

struct Orphans {
  Command* channel;
  Nanos patience;
  Nanos next_look;
  Nanos next_turn;
  Nanos gap;
  bool unclear;     // somebody is dead, and maybe the runtime's
  bool turn_asked;  // and not yet made
  bool looking;     // without the lock: to be freed after the look
  bool off;
  bool pidfd;
  int was_subreaper;
  uint64_t reaped;
  uint64_t unclaimed;
  Relatives relatives;
};

namespace {

// From the first gap, after a change, to the longest. Looks take a twentieth of a core, unless that keeps one
// waiting for too long.
constexpr Nanos kFirstGap = 2 * kMillisecond;
constexpr Nanos kLongestGap = 100 * kMillisecond;
constexpr Nanos kRest = 19;
constexpr Nanos kLongestRest = 400 * kMillisecond;
constexpr Nanos kTurnGap = 10 * kMillisecond;
// A loop that has gone round twice has seen every child that ended before; the rest is for good measure.
constexpr uint8_t kTurns = 4;
// The lock is held, and the event loop waits.
constexpr int kMostReaped = 64;

bool wait_for(idtype_t type, id_t id, int options) {
  siginfo_t info = {};
  int status = 0;
  do {
    status = waitid(type, id, &info, WEXITED | WNOHANG | options);
  } while (status != 0 && errno == EINTR);
  return status == 0 && info.si_pid != 0;
}

bool reap_orphan(const Orphans& o, const Relative& relative) {
  const UniqueFd pidfd(o.pidfd ? pidfd_open(relative.pid) : -1);
  if (!is_still(o.relatives, relative)) return false;
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
  for (size_t i = 0; i < o->relatives.count; i++) {
    Relative* relative = &o->relatives.table[i];
    if (!relative->dead || relative->missed > 0) continue;
    o->unclear = o->unclear || relative->origin == Origin::kUnclear;
    if (relative->origin != Origin::kOrphan || tried > kMostReaped) continue;
    if (++tried <= kMostReaped && reap_orphan(*o, *relative)) count_reaped(o, relative);
  }
  return tried > kMostReaped;
}

void evaluate(Orphans* o) {
  const bool changed = take_in_picture(&o->relatives);
  const bool more = reap_orphans(o);
  o->gap = changed ? kFirstGap : min(o->gap * 3 / 2, kLongestGap);
  o->next_look = more ? now() : now() + max(o->gap, min(o->relatives.snapshot.cost * kRest, kLongestRest));
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

void free_orphans(Orphans* o) {
  free_relatives(&o->relatives);
  free(o);
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
  const int error = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 ? 0 : errno;
  o->channel = error == 0 ? add_command(r) : nullptr;
  if (o->channel == nullptr) {
    if (error == 0) prctl(PR_SET_CHILD_SUBREAPER, o->was_subreaper, 0, 0, 0);
    free(o);
    return error != 0 ? -error : -ENOMEM;
  }
  o->channel->phase = Phase::kForeign;
  o->patience = patience;
  o->relatives.proc = proc.release();
  o->relatives.lists = features.children;
  o->pidfd = features.pidfd;
  o->relatives.session = getsid(0);
  o->gap = kFirstGap;
  r->orphans = o;
  wake_thread(r);
  return o->channel->handle;
}

void disable_orphans(Reactor* r) {
  Orphans* o = r->orphans;
  if (o == nullptr) return;
  prctl(PR_SET_CHILD_SUBREAPER, o->was_subreaper, 0, 0, 0);
  o->channel->phase = Phase::kSettled;
  close_if_done(r, o->channel);
  r->orphans = nullptr;
  o->off = true;
  if (!o->looking) free_orphans(o);
}

Nanos run_orphans(Reactor* r) {
  Orphans* o = r->orphans;
  if (o == nullptr) return kNever;
  if (o->next_look <= now()) {
    const pid_t supervisor = r->watched_helper;
    o->looking = true;
    pthread_mutex_unlock(&r->lock);
    take_picture(&o->relatives, supervisor);
    pthread_mutex_lock(&r->lock);
    o->looking = false;
    if (o->off) {
      free_orphans(o);
      // Maybe it is on again.
      return r->orphans != nullptr ? now() : kNever;
    }
    evaluate(o);
  }
  return min(ask_for_turn(r, o), o->next_look);
}

void reap_unclaimed(Reactor* r) {
  Orphans* o = r->orphans;
  if (o == nullptr) return;
  o->turn_asked = false;
  o->unclear = false;
  int tried = 0;
  for (size_t i = 0; i < o->relatives.count; i++) {
    Relative* relative = &o->relatives.table[i];
    if (!relative->dead || relative->missed > 0 || relative->origin != Origin::kUnclear) continue;
    if (relative->turns < kTurns) relative->turns++;
    if (tried < kMostReaped && unclaimed(*o, *relative) && is_still(o->relatives, *relative)) {
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
  for (size_t i = 0; i < o->relatives.count; i++) {
    const Relative& relative = o->relatives.table[i];
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
