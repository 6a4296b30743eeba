// After a keeper that died without its last word: its tree has no subreaper of ours above it any more. The
// supervisor ends what came up to it; this finds what did not, by session, group and the mark in the
// environment, and proves each process ours before SIGKILL. A snapshot, and reported as one.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "addon/environment.h"
#include "addon/reactor.h"
#include "addon/supervisor_link.h"
#include "addon/watch_tree.h"
#include "core/cgroup.h"
#include "core/entry.h"
#include "core/features.h"
#include "core/signals.h"

namespace procleash {
namespace {

constexpr Nanos kSweepGap = 5 * kMillisecond;
// One empty look proves nothing against a process that forks and ends all the time (proc_pid_stat(5) is no
// snapshot).
constexpr int kEmptySweeps = 3;
// Out of descriptors or memory it can't look. So much longer than the budget it waits for them to say a true
// word, and after a word that names nobody it goes on that long.
constexpr Nanos kShortagePatience = 2 * kSecond;
constexpr Nanos kLateSweeps = 60 * kSecond;
constexpr Nanos kLateSweepGap = 250 * kMillisecond;
constexpr size_t kMaxSurvivors = 64;

struct Sweep {
  const Command* command;
  int proc;
  Features features;
  uint64_t latest_start;  // ticks: what started after the loss can't carry the number of our session by birth
  Leaf leaf;              // the tree's cgroup, unless it has none or it was removed
  bool blind = false;     // somebody could not be looked at: that nobody was found says nothing
  bool short_of = false;  // for want of descriptors or memory
  bool in_leaf = false;   // whether a process lives in it
  uint32_t oom_kills = 0;
  uint32_t killed = 0;
  uint16_t survivors = 0;
  Packer* report = nullptr;  // null while killing

  // An empty cgroup is a proof of its own.
  Proof proof() const { return command->leaf != nullptr ? Proof::kCgroup : Proof::kSnapshot; }
  int sweeps_needed() const { return command->leaf != nullptr ? 1 : kEmptySweeps; }
};

// After a look that failed.
void note_blindness(Sweep* s) {
  if (!is_shortage(errno)) return;
  s->blind = true;
  s->short_of = true;
}

bool ours(const Sweep& s, const Process& process) {
  const pid_t leader = s.command->pid;
  const bool by_number = leader > 1 && (process.sid == leader || process.pgid == leader);
  if (by_number && process.start <= s.latest_start) return true;
  return has_mark(s.proc, process.pid, s.command->id);
}

// All of it at once. A cgroup that is gone had nobody in it.
void kill_in_leaf(Sweep* s) {
  if (s->command->leaf == nullptr) return;
  if (!open_leaf(s->command->leaf, &s->leaf)) return note_blindness(s);
  kill_leaf(s->leaf);
  s->in_leaf = leaf_populated(s->leaf);
  s->oom_kills = leaf_oom_kills(s->leaf);
}

void pack_survivor(Sweep* s, const Process& process, int error) {
  if (s->survivors == kMaxSurvivors) return;
  s->survivors++;
  char argv[kMaxArgv];
  Entry entry;
  entry.process = process;
  entry.reason = error == EPERM ? SurvivorReason::kPermission : SurvivorReason::kUninterruptible;
  entry.argv = Span<const char>{argv, read_argv(s->proc, process.pid, argv, sizeof(argv))};
  pack_entry(s->report, entry);
}

void visit(void* context, pid_t pid) {
  auto* s = static_cast<Sweep*>(context);
  Process process;
  if (pid <= 1 || pid == getpid()) return;
  if (!read_process(s->proc, pid, &process)) return note_blindness(s);
  if (!process.alive()) return;
  errno = 0;
  if (!ours(*s, process)) return note_blindness(s);
  const int kill_signal = SIGKILL;
  const int error = signal_process(s->proc, s->features, process, Span<const int>{&kill_signal, 1});
  if (error == ESRCH) return;
  s->killed++;
  if (s->report != nullptr) pack_survivor(s, process, error);
}

void look(Sweep* s) {
  if (for_each_process(s->proc, visit, s)) return;
  s->blind = true;
  note_blindness(s);
}

void name_survivors(Sweep* s) {
  look(s);
  if (!s->in_leaf || s->survivors > 0) return;
  // It holds somebody whom the search by other marks did not see.
  for_each_member(
      s->leaf,
      [](void* context, pid_t pid) {
        auto* sweep = static_cast<Sweep*>(context);
        Process process;
        if (!read_process(sweep->proc, pid, &process)) process.pid = pid;
        pack_survivor(sweep, process, 0);
      },
      s);
}

void settle(Reactor* r, Command* c, Sweep* s) {
  constexpr size_t kRoom = 32U << 10;
  auto* space = static_cast<char*>(malloc(kRoom));
  if (space == nullptr) abort();
  Packer out(Span<char>{space, kRoom});
  out.put(Outcome::kEmpty);
  out.put(Reason::kSupervisorLost);
  out.put(s->proof());
  out.put(uint8_t{1});
  out.put(static_cast<double>(now() - c->lost_at) / kMillisecond);
  for (int i = 0; i < 3; i++) out.put(0.0);  // usage died with the keeper
  out.put(c->swept);
  out.put(uint16_t{0});
  const size_t survivors_at = out.size();
  out.put(uint16_t{0});
  if (c->empty_sweeps < s->sweeps_needed()) {
    s->report = &out;
    name_survivors(s);
    out.patch(survivors_at, s->survivors);
    if (s->survivors > 0 || s->blind) {
      out.patch(0, Outcome::kSurvivors);
      out.patch(2, Proof::kNone);
    }
  }
  if (s->oom_kills > 0) out.put(s->oom_kills);
  c->phase = Phase::kSettled;
  push_message(r, c, Frame::kSettled, Span<const char>{space, out.size()});
  free(space);
  finish_streams(r, c);
}

}  // namespace

void sweep(Reactor* r, Command* c) {
  c->next_sweep = kNever;
  if (c->watches) return lose_watch(r, c);
  UniqueFd proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Sweep s{};
  s.command = c;
  s.proc = proc.get();
  if (!proc.valid()) note_blindness(&s);
  s.features = probe_features(proc.get(), r->disabled);
  s.latest_start = start_ticks(c->lost_at) + 1;
  // One by one first: that counts them.
  look(&s);
  kill_in_leaf(&s);
  // The cgroup itself has told.
  if (s.leaf.events.valid()) s.blind = false;
  c->swept = max(c->swept, s.killed);
  c->empty_sweeps = s.killed == 0 && !s.in_leaf && !s.blind ? c->empty_sweeps + 1 : 0;
  const bool told = c->phase == Phase::kSettled;
  const Nanos patience = told ? kLateSweeps : s.short_of ? kShortagePatience : 0;
  const bool done = c->empty_sweeps >= s.sweeps_needed() || now() >= c->lost_at + c->budget + patience;
  if (!done) {
    c->next_sweep = now() + (told ? kLateSweepGap : kSweepGap);
    return;
  }
  if (c->leaf != nullptr && !s.in_leaf) remove_leaf(c->leaf);
  if (told) return;
  // Who could not be looked for may be found yet.
  if (s.blind) c->next_sweep = now() + kLateSweepGap;
  if (c->started) {
    settle(r, c, &s);
  } else {
    fail_lost(r, c);
  }
}

void fail_lost(Reactor* r, Command* c) {
  // A helper that has never been ready is no good; one that has was killed.
  const int error = helper_proved() ? ECONNRESET : EPIPE;
  fail_command(r, c, error, SpawnStep::kLost, Span<const char>{});
}

}  // namespace procleash
