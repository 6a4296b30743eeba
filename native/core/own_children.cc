#include "core/own_children.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

namespace procleash {
namespace {

// wait(2) fails with ECHILD for whoever is no child of ours; no status is taken.
bool is_child(pid_t pid) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

}  // namespace

int open_own_children(int proc, const Features& features, OwnChildren* out) {
  *out = OwnChildren{};
  if (features.procfs != Procfs::kOwn) return 0;
  out->all = !features.children;
  // A description of our own: it has the position.
  const char* path = out->all ? "." : "thread-self/children";
  out->fd = UniqueFd(openat(proc, path, O_RDONLY | O_CLOEXEC));
  return !out->fd.valid() && is_shortage(errno) ? errno : 0;
}

bool for_each_own_child(const OwnChildren& children, VisitPid visit, void* context) {
  if (!children.fd.valid()) return false;
  if (!children.all) return for_each_listed(children.fd.get(), visit, context);
  struct Walk {
    VisitPid visit;
    void* context;
  } walk{visit, context};
  return for_each_process_in(
      children.fd.get(),
      [](void* data, pid_t pid) {
        auto* w = static_cast<Walk*>(data);
        if (is_child(pid)) w->visit(w->context, pid);
      },
      &walk);
}

}  // namespace procleash
