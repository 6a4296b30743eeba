#include "supervisor/report.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace procleash {
namespace {

// One frame at a time; smaller than the lease's own buffer, which holds what the socket does not take at
// once.
char space[48U << 10];
constexpr size_t kMaxSurvivors = 64;
// How long a list may wait for the host to make room.
constexpr int kListPatienceMs = 100;

double milliseconds(Nanos t) { return static_cast<double>(t) / static_cast<double>(kMillisecond); }

double milliseconds(const struct timeval& t) {
  return static_cast<double>(t.tv_sec) * 1000 + static_cast<double>(t.tv_usec) / 1000;
}

// Signal 0 asks only whether we might.
SurvivorReason survivor_reason(const Process& process) {
  if (kill(process.pid, 0) != 0 && errno == EPERM) return SurvivorReason::kPermission;
  return SurvivorReason::kUninterruptible;
}

uint16_t pack_survivors(Packer* out, const Tree& t, uint32_t* counted) {
  uint16_t count = 0;
  for (const Process& seen : t.current.found()) {
    Entry entry;
    if (count == kMaxSurvivors) break;
    if (!read_process(t.proc, seen.pid, &entry.process)) {
      if (!is_shortage(errno)) continue;
      entry.process = seen;
    }
    if (entry.process.start != seen.start) continue;
    if (!entry.process.alive()) continue;
    char argv[kMaxArgv];
    entry.argv = Span<const char>{argv, read_argv(t.proc, seen.pid, argv, sizeof(argv))};
    entry.escape = escape_of(entry.process, t.leader.pid, t.keeper);
    entry.reason = survivor_reason(entry.process);
    pack_entry(out, entry);
    count++;
    if (t.members.find(seen.pid) != nullptr) (*counted)++;
  }
  if (count > 0) return count;
  // The kernel says that something lives and /proc does not show it (another namespace's, or hidepid): the
  // command is all that can be named.
  Entry entry;
  entry.process.pid = t.leader.pid;
  entry.process.ppid = t.keeper;
  entry.process.pgid = t.leader.pid;
  entry.process.sid = t.leader.pid;
  entry.reason = SurvivorReason::kNamespace;
  pack_entry(out, entry);
  return 1;
}

bool lives_on(const Tree& t, const Process& process) {
  Process seen;
  if (!read_process(t.proc, process.pid, &seen)) return is_shortage(errno);
  const bool same = process.bare() ? seen.pgid == process.pgid : seen.start == process.start;
  return same && seen.alive();
}

uint16_t pack_ended(Packer* out, const Tree& t, Outcome outcome) {
  uint16_t count = 0;
  for (size_t i = 0; i < t.ended_size; i++) {
    const EndedProcess& e = ended[i];
    if (outcome == Outcome::kSurvivors && lives_on(t, e.process)) continue;
    pack_entry(out, Entry{e.process, e.escape, SurvivorReason::kNone, e.status_kind, e.status,
                          Span<const char>{e.argv, e.argv_size}});
    count++;
  }
  return count;
}

void say_reason(Lease* lease, Frame type, Reason reason) {
  auto value = static_cast<char>(reason);
  lease->say(type, Span<const char>{&value, 1});
}

bool wait_for_room(const Lease& lease) {
  struct pollfd wait = {lease.socket(), POLLOUT, 0};
  return poll(&wait, 1, kListPatienceMs) > 0;
}

}  // namespace

void say_ready(Lease* lease) {
  lease->say(Frame::kReady, Span<const char>{PROCLEASH_VERSION, strlen(PROCLEASH_VERSION)});
}

void say_started(Lease* lease, pid_t pid) {
  auto value = static_cast<int32_t>(pid);
  lease->say(Frame::kStarted, Span<const char>{reinterpret_cast<const char*>(&value), sizeof(value)});
}

void say_failed(Lease* lease, int number, uint8_t step) {
  char payload[kFailedPayload];
  pack_failed(number, step, payload);
  lease->say(Frame::kFailed, Span<const char>{payload, sizeof(payload)});
}

void say_exited(Lease* lease, int status) {
  Packer out(Span<char>{space, sizeof(space)});
  out.put(static_cast<int32_t>(WIFEXITED(status) ? WEXITSTATUS(status) : -1));
  out.put(static_cast<int32_t>(WIFSIGNALED(status) ? WTERMSIG(status) : 0));
  lease->say(Frame::kExited, Span<const char>{space, out.size()});
}

void say_stopping(Lease* lease, Reason reason) { say_reason(lease, Frame::kStopping, reason); }

void say_escalating(Lease* lease, Reason reason) { say_reason(lease, Frame::kEscalating, reason); }

void say_settled(Lease* lease, const SettledReport& report, const Tree& t) {
  // What the kernel adds up of all that was reaped here, their own reaped children included (getrusage(2)).
  struct rusage usage = {};
  getrusage(RUSAGE_CHILDREN, &usage);
  Packer out(Span<char>{space, sizeof(space)});
  out.put(report.outcome);
  out.put(report.reason);
  out.put(report.proof);
  out.put(static_cast<uint8_t>(report.escalated ? 1 : 0));
  out.put(milliseconds(report.elapsed));
  out.put(milliseconds(usage.ru_utime));
  out.put(milliseconds(usage.ru_stime));
  out.put(static_cast<double>(usage.ru_maxrss) * 1024);
  const size_t counts = out.size();
  out.put(t.ended_count);
  out.put(uint16_t{0});
  out.put(uint16_t{0});
  out.patch(counts + 4, pack_ended(&out, t, report.outcome));
  if (report.outcome == Outcome::kSurvivors && !report.childless) {
    uint32_t counted = 0;
    out.patch(counts + 6, pack_survivors(&out, t, &counted));
    out.patch(counts, t.ended_count - counted);
  }
  // Last, and left out by whoever has no cgroup to ask.
  if (report.oom_kills > 0) out.put(report.oom_kills);
  lease->say(Frame::kSettled, Span<const char>{space, out.size()});
}

void say_list(Lease* lease, uint32_t request, size_t size, PackProcess pack, void* context) {
  size_t i = 0;
  bool more = true;
  while (more) {
    Packer out(Span<char>{space, sizeof(space)});
    out.put(request);
    out.put(uint8_t{0});
    out.put(uint16_t{0});
    uint16_t count = 0;
    for (; i < size && out.size() + kMaxEntry <= sizeof(space); i++) {
      if (pack(context, i, &out)) count++;
    }
    more = i < size;
    out.patch(4, static_cast<uint8_t>(more ? 1 : 0));
    out.patch(5, count);
    if (lease->wants_to_write()) {
      if (!wait_for_room(*lease)) return;
      lease->flush();
    }
    lease->say(Frame::kProcesses, Span<const char>{space, out.size()});
  }
}

void say_processes(Lease* lease, uint32_t request, const Tree& t) {
  auto pack = [](void* context, size_t index, Packer* out) {
    const Tree& tree = *static_cast<const Tree*>(context);
    const Process& process = tree.current.found()[index];
    if (!process.alive()) return false;
    char argv[kMaxArgv];
    Span<const char> words{argv, read_argv(tree.proc, process.pid, argv, sizeof(argv))};
    pack_entry(out, Entry{process, escape_of(process, tree.leader.pid, tree.keeper), SurvivorReason::kNone,
                          StatusKind::kUnknown, 0, words});
    return true;
  };
  say_list(lease, request, t.current.found().size, pack, const_cast<Tree*>(&t));
}

}  // namespace procleash
