#include "core/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/cgroup.h"
#include "core/sys.h"

namespace procleash {
namespace {

struct Failure {
  int number;
  SpawnStep step;
};

[[noreturn]] void fail(int report, SpawnStep step, int number) {
  Failure failure{number, step};
  // A pipe takes a message this small whole, or not at all.
  while (write(report, &failure, sizeof(failure)) < 0 && errno == EINTR) {
  }
  _exit(127);
}

const char* search_path(char* const* envp) {
  for (; *envp != nullptr; envp++) {
    if (strncmp(*envp, "PATH=", 5) == 0) return *envp + 5;
  }
  return "/usr/local/bin:/bin:/usr/bin";
}

// Gives the errno of the best explanation: a file that was found and refused tells more than one that was not
// found.
int exec_found(const SpawnPlan& plan) {
  if (strchr(plan.file, '/') != nullptr) {
    execve(plan.file, plan.argv, plan.envp);
    return errno;
  }
  const size_t name_size = strlen(plan.file) + 1;
  int refused = 0;
  const char* at = search_path(plan.envp);
  for (;;) {
    const char* end = strchr(at, ':');
    size_t size = end != nullptr ? static_cast<size_t>(end - at) : strlen(at);
    char path[4096];
    if (size + 1 + name_size <= sizeof(path)) {
      memcpy(path, at, size);  // NOLINT(bugprone-not-null-terminated-result): the name and its NUL follow
      // An empty entry of PATH is the working directory (POSIX, environment variables, PATH).
      if (size > 0) path[size++] = '/';
      memcpy(path + size, plan.file, name_size);
      execve(path, plan.argv, plan.envp);
      switch (errno) {
        case EACCES:
          refused = EACCES;
          break;
        case ENOENT:
        case ENOTDIR:
        case ESTALE:
        case ENODEV:
        case ETIMEDOUT:
          break;
        default:
          return errno;
      }
    }
    if (end == nullptr) break;
    at = end + 1;
  }
  return refused != 0 ? refused : ENOENT;
}

void place_stdio(const SpawnPlan& plan, int report) {
  for (int target = 0; target < 3; target++) {
    int source = plan.stdio[target];
    if (source < 0) source = open("/dev/null", target == 0 ? O_RDONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC);
    if (source < 0) fail(report, SpawnStep::kStdio, errno);
    // Every source lies above 2 (the caller filled 0 to 2), so that dup2 always makes a copy without CLOEXEC.
    if (dup2(source, target) < 0) fail(report, SpawnStep::kStdio, errno);
    // A runtime makes its own pipes and terminals non-blocking, for all who share them: few programs expect
    // that.
    const int flags = fcntl(target, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) != 0) fcntl(target, F_SETFL, flags & ~O_NONBLOCK);
  }
}

// The signal fires when the parent thread ends; the caller has one thread. It may have ended before this
// line, so the parent is compared after (prctl(2), PR_SET_PDEATHSIG).
void die_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(127);
}

SpawnStep step_of(RightsStep step) {
  switch (step) {
    case RightsStep::kStop:
      return SpawnStep::kUnstoppable;
    case RightsStep::kGroups:
      return SpawnStep::kGroups;
    case RightsStep::kGid:
      return SpawnStep::kGid;
    case RightsStep::kBoundingSet:
      return SpawnStep::kBoundingSet;
    case RightsStep::kUid:
      return SpawnStep::kUid;
    case RightsStep::kCapabilities:
      return SpawnStep::kCapabilities;
    default:
      return SpawnStep::kNoNewPrivileges;
  }
}

bool changes_rights(const SpawnPlan& plan) { return plan.rights->flags != 0; }

[[noreturn]] void run_child(const SpawnPlan& plan, const Features& features, pid_t parent, int report,
                            int enter_cgroup) {
  if (setsid() < 0) fail(report, SpawnStep::kSession, errno);
  die_with(parent);
  if (enter_cgroup >= 0) {
    const int error = enter_leaf(enter_cgroup);
    if (error != 0) fail(report, SpawnStep::kCgroup, error);
  }
  place_stdio(plan, report);
  if (plan.directory >= 0 && fchdir(plan.directory) != 0) fail(report, SpawnStep::kChdir, errno);
  if (plan.cwd != nullptr && chdir(plan.cwd) != 0) fail(report, SpawnStep::kChdir, errno);
  // All descriptors of ours are CLOEXEC and the helper closed what it inherited; this is the belt to those
  // braces.
  if (features.close_range) close_range(3, ~0U, kCloseRangeCloexec);
  if (changes_rights(plan)) {
    const RightsFailure failure = take_on(*plan.rights);
    if (failure.step != RightsStep::kNone) fail(report, step_of(failure.step), failure.number);
    // A change of credentials has cleared the signal (prctl(2)).
    die_with(parent);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  fail(report, SpawnStep::kExec, exec_found(plan));
}

// Born in its cgroup: not one instruction of it runs outside. Not by vfork: clone3 from C can't share the
// stack with its caller. -1 where the kernel or a filter refuses.
pid_t clone_into(int cgroup) {
  CloneArguments arguments = {};
  arguments.flags = kCloneIntoCgroup;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<uint64_t>(cgroup);
  return static_cast<pid_t>(syscall(SYS_clone3, &arguments, sizeof(arguments)));
}

// End of file: the exec went through and closed the child's end.
Failure read_failure(int report) {
  Failure failure{0, SpawnStep::kNone};
  for (;;) {
    ssize_t n = read(report, &failure, sizeof(failure));
    if (n < 0 && errno == EINTR) continue;
    // Nothing is known of the exec: nobody may go on as if there were a command.
    if (n < 0) return Failure{errno, SpawnStep::kFork};
    return n == static_cast<ssize_t>(sizeof(failure)) ? failure : Failure{0, SpawnStep::kNone};
  }
}

}  // namespace

Spawned spawn(const SpawnPlan& plan, const Features& features) {
  Spawned spawned;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    spawned.number = errno;
    spawned.step = SpawnStep::kFork;
    return spawned;
  }
  UniqueFd report(ends[0]);
  UniqueFd child_end(ends[1]);
  const pid_t parent = getpid();
  pid_t pid = -1;
  if (plan.cgroup >= 0 && features.clone3) {
    pid = clone_into(plan.cgroup);
    if (pid == 0) run_child(plan, features, parent, child_end.get(), -1);
  }
  // vfork: the cost does not grow with the caller, and no page is copied. An emulator that makes it a plain
  // fork (qemu-user) works too, since the child reports by pipe and not by memory. But never memory of ours
  // in a process of another user's: whoever may ptrace that one would reach us.
  if (pid < 0) {
    pid = changes_rights(plan) ? fork() : vfork();
    if (pid == 0) run_child(plan, features, parent, child_end.get(), plan.cgroup);
  }
  if (pid < 0) {
    spawned.number = errno;
    spawned.step = SpawnStep::kFork;
    return spawned;
  }
  child_end.reset();
  Failure failure = read_failure(report.get());
  if (failure.step != SpawnStep::kNone) {
    // It is about to end by itself, unless its report could not be read.
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    spawned.number = failure.number;
    spawned.step = failure.step;
    return spawned;
  }
  spawned.pid = pid;
  // Our unreaped child: the number can't have passed to another process.
  if (features.pidfd) spawned.pidfd = UniqueFd(pidfd_open(pid));
  return spawned;
}

}  // namespace procleash
