#include "core/features.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/sys.h"
#include "core/unique_fd.h"

namespace procleash {
namespace {

// Signal 0 asks whether the flag is understood and sends nothing. Without it (before 6.9) the answer is
// EINVAL.
bool probe_pidfd_group(int self) {
  if (pidfd_send_signal(self, 0, kPidfdSignalProcessGroup) == 0) return true;
  return errno == EPERM || errno == ESRCH;
}

// A size of 0 is refused with EINVAL where the call exists; containers answer ENOSYS or EPERM.
bool probe_clone3() {
  syscall(SYS_clone3, nullptr, 0);
  return errno == EINVAL || errno == EFAULT;
}

// An empty range past every descriptor closes nothing.
bool probe_close_range() { return close_range(~0U - 1, ~0U - 1, kCloseRangeCloexec) == 0; }

bool probe_subreaper() {
  int value = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &value, 0, 0, 0) == 0;
}

bool probe_children(int proc) {
  return for_each_child(
             proc, getpid(), 2, [](void*, pid_t) {}, nullptr) &&
         faccessat(proc, "thread-self/children", R_OK, 0) == 0;
}

}  // namespace

bool feature_disabled(const char* names, const char* name) {
  if (names == nullptr) return false;
  size_t length = strlen(name);
  for (const char* at = names; *at != '\0';) {
    const char* end = strchr(at, ',');
    size_t size = end != nullptr ? static_cast<size_t>(end - at) : strlen(at);
    if (size == length && strncmp(at, name, length) == 0) return true;
    at += size + (end != nullptr ? 1 : 0);
  }
  return false;
}

Features probe_features(int proc, const char* disabled) {
  Features f;
  UniqueFd self(pidfd_open(getpid()));
  f.shortage = !self.valid() && is_shortage(errno);
  f.pidfd = self.valid() && !feature_disabled(disabled, "pidfd");
  f.pidfd_group = f.pidfd && probe_pidfd_group(self.get()) && !feature_disabled(disabled, "pidfd_group");
  f.pidfd_info =
      f.pidfd_group && pidfd_parent(self.get()) == getppid() && !feature_disabled(disabled, "pidfd_info");
  f.subreaper = probe_subreaper() && !feature_disabled(disabled, "subreaper");
  f.clone3 = probe_clone3() && !feature_disabled(disabled, "clone3");
  f.close_range = probe_close_range() && !feature_disabled(disabled, "close_range");
  errno = 0;
  f.procfs = proc >= 0 ? procfs_kind(proc) : Procfs::kMissing;
  f.shortage = f.shortage || (f.procfs == Procfs::kMissing && is_shortage(errno));
  errno = 0;
  f.children = f.procfs == Procfs::kOwn && probe_children(proc);
  f.shortage = f.shortage || (!f.children && is_shortage(errno));
  f.children = f.children && !feature_disabled(disabled, "children");
  f.proc_events = f.procfs == Procfs::kOwn && !feature_disabled(disabled, "proc_events");
  return f;
}

}  // namespace procleash
