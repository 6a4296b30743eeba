#include "core/signals.h"

#include <signal.h>
#include <sys/signalfd.h>

#include "core/sys.h"

namespace procleash {
namespace {

int result_of(int returned) { return returned == 0 ? 0 : errno; }

// A filter of system calls (seccomp) may refuse the newer call alone. The pidfd holds nobody alive: whoever
// calls has just proved that the number is its.
int signal_held(int pidfd, pid_t pid, int signal) {
  const int error = result_of(pidfd_send_signal(pidfd, signal, 0));
  return error == 0 || error == ESRCH ? error : result_of(kill(pid, signal));
}

int send_all(int pidfd, pid_t pid, Span<const int> signals) {
  for (int signal : signals) {
    const int error = pidfd >= 0 ? signal_held(pidfd, pid, signal) : result_of(kill(pid, signal));
    if (error != 0) return error;
  }
  return 0;
}

}  // namespace

int prove_same(int proc, const Process& process) {
  Process seen;
  if (read_process(proc, process.pid, &seen)) return seen.start == process.start ? 0 : ESRCH;
  return is_shortage(errno) ? errno : ESRCH;
}

int signal_process(int proc, const Features& features, const Process& process, Span<const int> signals) {
  if (process.pid <= 1) return EINVAL;
  if (process.held()) return send_all(process.pidfd, process.pid, signals);
  UniqueFd pidfd;
  if (features.pidfd) {
    // The pidfd pins the process first; its start time is compared after, so that the proof can't go stale.
    pidfd = UniqueFd(pidfd_open(process.pid));
    if (!pidfd.valid() && errno == ESRCH) return ESRCH;
    // No descriptor to be had: the comparison alone leaves microseconds, still better than no signal.
  }
  const int doubt = prove_same(proc, process);
  if (doubt != 0) return doubt;
  return send_all(pidfd.get(), process.pid, signals);
}

int signal_group(const Features& features, const GroupLeader& leader, int signal) {
  if (leader.pid <= 1) return EINVAL;
  // Linux 6.9: reaches the group even after its leader was reaped, and never another one.
  if (features.pidfd_group && leader.pidfd.valid()) {
    return result_of(pidfd_send_signal(leader.pidfd.get(), signal, kPidfdSignalProcessGroup));
  }
  // Before: the number can't be reused while the leader is our child, zombie or not.
  if (leader.reaped) return ESTALE;
  return result_of(kill(-leader.pid, signal));
}

void set_signal_mask(SignalMask mask) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(mask));
}

UniqueFd block_signals(const int* signals) {
  set_signal_mask(kEverySignal);
  sigset_t watched;
  sigemptyset(&watched);
  for (; *signals != 0; signals++) sigaddset(&watched, *signals);
  return UniqueFd(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
}

void reset_dispositions() {
  struct sigaction initial = {};
  initial.sa_handler = SIG_DFL;
  for (int number = 1; number <= 64; number++) sigaction(number, &initial, nullptr);
}

}  // namespace procleash
