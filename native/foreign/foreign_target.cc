#include "foreign/foreign_target.h"

#include <errno.h>
#include <unistd.h>

#include "core/sys.h"

namespace procleash {
namespace {

bool is_never(const ForeignTree& t, int64_t pid) {
  for (size_t i = 0; i < t.never_count; i++) {
    if (t.never[i] == pid) return true;
  }
  return false;
}

Refusal shortage_or(Refusal refusal) { return is_shortage(errno) ? static_cast<Refusal>(-errno) : refusal; }

// Bounded like every walk over parents: while it goes on, numbers may be given away and make a circle.
Refusal check_descent(const ForeignTree& t, Process process) {
  for (size_t steps = 0; steps < kMaxNever; steps++) {
    if (process.ppid == getpid()) return Refusal::kNone;
    if (process.ppid <= 1) return Refusal::kGroup;
    errno = 0;
    if (!read_process(t.proc, process.ppid, &process)) return shortage_or(Refusal::kGroup);
  }
  return Refusal::kGroup;
}

}  // namespace

int find_never(ForeignTree* t) {
  Process process;
  process.ppid = getpid();
  t->never[t->never_count++] = 1;
  while (process.ppid > 1) {
    if (t->never_count == kMaxNever) return ELOOP;
    const pid_t next = process.ppid;
    errno = 0;
    t->never[t->never_count++] = next;
    if (!read_process(t->proc, next, &process)) return errno != 0 ? errno : EIO;
  }
  t->no_tie = NoTie{getpgrp(), getsid(0)};
  return 0;
}

Refusal find_target(const ForeignTree& t, int64_t pid, Process* out) {
  if (t.features.procfs != Procfs::kOwn) return Refusal::kProcfs;
  if (pid < 1 || pid > INT32_MAX) return Refusal::kGone;
  const auto number = static_cast<pid_t>(pid);
  // /proc has a folder for each thread too, though it doesn't list it.
  if (!names_process(number)) return Refusal::kGone;
  errno = 0;
  return read_process(t.proc, number, out) ? Refusal::kNone : shortage_or(Refusal::kGone);
}

Refusal check_target(const ForeignTree& t, int64_t pid, int64_t start, bool group_mates, Process* out) {
  if (pid <= 1) return Refusal::kNumber;
  if (pid == getpid()) return Refusal::kHost;
  if (is_never(t, pid)) return Refusal::kAncestor;
  const Refusal refusal = find_target(t, pid, out);
  if (refusal != Refusal::kNone) return refusal;
  if (start >= 0 && out->start != static_cast<uint64_t>(start)) return Refusal::kAnother;
  return group_mates || out->pgid != getpgrp() ? Refusal::kNone : check_descent(t, *out);
}

}  // namespace procleash
