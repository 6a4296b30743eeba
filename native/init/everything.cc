#include "init/everything.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/sys.h"
#include "supervisor/stop.h"
#include "supervisor/tree.h"

namespace procleash {
namespace {

// Between rounds that name everything at once.
constexpr Nanos kRoundGap = 20 * kMillisecond;
constexpr Nanos kPatience = 100 * kMillisecond;
// Where the number of processes isn't known.
constexpr size_t kGuess = 100;
constexpr size_t kDescribed = 8;

// The pace of SIGKILL where we are a subreaper; the tree's tables are in supervisor/tree.cc.
Stop pace;

// As PID 1, whatever a number in the namespace names is in our charge: no proof of identity is needed.
template <typename Visit>
void for_each_other(Visit visit) {
  for_each_process(
      tree.proc,
      [](void* context, pid_t pid) {
        Process process;
        if (pid > 1 && read_process(tree.proc, pid, &process)) (*static_cast<Visit*>(context))(process);
      },
      &visit);
}

void signal_namespace(const MainProgram& main, FirstSignal first) {
  kill(-main.pid, first.to_main);
  kill(-main.pid, SIGCONT);
  for_each_other([&](const Process& process) {
    if (process.pgid == main.pid) return;
    kill(process.pid, first.to_rest);
    kill(process.pid, SIGCONT);
  });
}

void signal_descendants(const MainProgram& main, FirstSignal first) {
  // Once the main program is reaped, the number of its group may belong to others.
  const bool group = !main.ended;
  look_for_stop(&tree, group);
  if (group) {
    kill(-main.pid, first.to_main);
    kill(-main.pid, SIGCONT);
  }
  const int signals[2] = {first.to_rest, SIGCONT};
  for (const Process& process : tree.members.found()) {
    if (!process.alive() || (group && process.pgid == main.pid)) continue;
    signal_process(tree.proc, tree.features, process, Span<const int>{signals, 2});
  }
  tree.members.release();
}

}  // namespace

void Everything::open(bool subreaper) {
  pid_1_ = getpid() == 1;
  subreaper_ = !pid_1_ && subreaper && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  tree.keeper = getpid();
  tree.proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  tree.features = probe_features(tree.proc, getenv("PROCLEASH_DISABLE"));
  if (!pid_1_) open_own_children(tree.proc, tree.features, &tree.own_children);
}

void Everything::note_started(const MainProgram& main) {
  tree.leader.pid = main.pid;
  if (tree.features.pidfd) tree.leader.pidfd = UniqueFd(pidfd_open(main.pid));
}

void Everything::note_reaped(const MainProgram& main) {
  tree.leader.reaped = main.ended;
  tree.reaped_count++;
}

bool Everything::signal_all(const MainProgram& main, FirstSignal first) {
  if (pid_1_ && (main.ended || first.to_main == first.to_rest)) {
    kill(-1, first.to_rest);
    kill(-1, SIGCONT);
    return true;
  }
  if (!pid_1_) {
    signal_descendants(main, first);
    return true;
  }
  if (tree.features.procfs != Procfs::kOwn) return false;
  signal_namespace(main, first);
  return true;
}

Nanos Everything::kill_time(Nanos requested, Nanos deadline) {
  size_t count = kGuess;
  if (!pid_1_) {
    look_again(&tree);
    count = tree.current.count;
  } else if (tree.features.procfs == Procfs::kOwn) {
    count = 0;
    for_each_other([&](const Process&) { count++; });
  }
  pace.requested = requested;
  pace.deadline = deadline;
  return procleash::kill_time(requested, deadline, count);
}

Nanos Everything::kill_all() {
  if (adopts() && !pid_1_) {
    continue_killing(&pace, &tree);
    return pace.next_round;
  }
  const Nanos time = now();
  if (time < next_round_) return next_round_;
  pace.killing_since = min(pace.killing_since, time);
  if (pid_1_) {
    kill(-1, SIGKILL);
  } else {
    // Orphans go elsewhere, so that rounds over our children would lose the rest.
    kill_seen(&tree);
  }
  next_round_ = time + kRoundGap;
  return next_round_;
}

bool Everything::empty_without_children() const {
  // Who entered the namespace from outside is nobody's child here.
  return !pid_1_ || (kill(-1, 0) != 0 && errno == ESRCH);
}

bool Everything::given_up(Nanos time) {
  // With PID 1 the kernel ends the whole namespace; a little patience, for the main program's own status.
  if (pid_1_) return time >= later(max(pace.deadline, pace.killing_since), kPatience);
  return procleash::given_up(&pace, &tree, time);
}

void Everything::describe(Line* line) {
  size_t count = 0;
  const auto add = [&](const Process& process) {
    if (!process.alive() || ++count > kDescribed) return;
    *line << (count > 1 ? ", " : "") << process.pid << " (";
    line->printable(process.name) << ")";
  };
  if (pid_1_) {
    if (tree.features.procfs == Procfs::kOwn) for_each_other(add);
  } else {
    look_again(&tree);
    for (const Process& process : tree.current.found()) add(process);
  }
  if (count == 0) *line << "what is left";
  if (count > kDescribed) *line << " and " << static_cast<long>(count - kDescribed) << " more";
}

}  // namespace procleash
