#include "core/kin.h"

namespace procleash {
namespace {

// Whether the number's holder is kin. A number in use as a session or group can't be given to a new process
// (kernel/pid.c, alloc_pid), so that its living holder leads them.
bool holder_is_kin(Span<Process> scan, pid_t number) {
  const Process* holder = find_process(scan, number);
  return holder != nullptr && holder->mark == kMarkKin;
}

bool tied(Span<Process> scan, const Process& process, const NoTie& no_tie) {
  const Process* parent = find_process(scan, process.ppid);
  // A parent that is younger than its child got the number after the child was read.
  if (parent != nullptr && parent->mark == kMarkKin && parent->start <= process.start) return true;
  return (process.sid != no_tie.session && holder_is_kin(scan, process.sid)) ||
         (process.pgid != no_tie.group && holder_is_kin(scan, process.pgid));
}

}  // namespace

void spread_kin(Span<Process> scan, const NoTie& no_tie) {
  // Numbers mostly ascend from parent to child, so that one pass mostly does.
  bool moved = true;
  while (moved) {
    moved = false;
    for (Process& process : scan) {
      if (process.mark != kMarkNone || !tied(scan, process, no_tie)) continue;
      process.mark = kMarkKin;
      moved = true;
    }
  }
}

Escape escape_from_root(const Process& process, pid_t group, pid_t session, bool orphan) {
  if (process.pgid == group) return Escape::kNone;
  if (process.sid == session) return Escape::kGroup;
  return orphan ? Escape::kDaemon : Escape::kSession;
}

Escape escape_from_parent(Span<Process> scan, const Process& process, const Process& root) {
  if (process.pid == root.pid) return Escape::kNone;
  const Process* parent = find_process(scan, process.ppid);
  if (parent == nullptr || parent->mark != kMarkKin)
    return escape_from_root(process, root.pgid, root.sid, true);
  return escape_from_root(process, parent->pgid, parent->sid, false);
}

}  // namespace procleash
