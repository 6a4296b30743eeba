#include "supervisor/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/cgroup.h"
#include "core/clock.h"
#include "core/freeze.h"
#include "core/own_children.h"
#include "core/signals.h"
#include "core/spawn.h"
#include "core/sys.h"
#include "core/wire.h"
#include "supervisor/keeper.h"
#include "supervisor/tree.h"

namespace procleash {
namespace {

// More commands at once than any machine of our range has process numbers for by default (pid_max).
constexpr size_t kMaxKeepers = 32768;
// From the end of its descriptors to a host's own end.
constexpr int kHostEndMs = 1000;
// A hundred times what a host needs to notice.
constexpr int kHostFirstMs = 100;
// Rounds of SIGKILL, about a millisecond apart: what is left after so many may fork faster than it is killed.
constexpr int kPlainRounds = 16;

struct Supervisor {
  UniqueFd control;      // end of file: the host has ended
  UniqueFd alive_read;   // what keepers watch
  UniqueFd alive_write;  // only ours: its end is our end
  UniqueFd host;         // the host's pidfd, where the kernel has them
  UniqueFd signals;
  int proc = -1;
  Features features;
  OwnChildren own_children;
  size_t keeper_count = 0;
  bool orphans_left = false;
  int orphan_rounds = 0;
  bool keeper_killed = false;  // at least one, with a cgroup of its tree perhaps
};

struct KeeperProcess {
  pid_t pid;
  WatchPayload watch;  // of a watcher; its pid is 0 otherwise
};

Supervisor supervisor;
KeeperProcess keepers[kMaxKeepers];

KeeperProcess* find_keeper(pid_t pid) {
  for (size_t i = 0; i < supervisor.keeper_count; i++) {
    if (keepers[i].pid == pid) return &keepers[i];
  }
  return nullptr;
}

bool is_keeper(pid_t pid) { return find_keeper(pid) != nullptr; }

// What came up to us was left by a keeper that died before its tree. Its lease is broken, so it must end; as
// our own unreaped children their numbers are theirs.
void kill_orphans(Supervisor* s) {
  s->orphans_left = false;
  if (++s->orphan_rounds % kPlainRounds == 0) freeze_and_kill(s->proc, s->features, getpid(), is_keeper);
  const bool looked = for_each_own_child(
      s->own_children,
      [](void* context, pid_t pid) {
        if (is_keeper(pid)) return;
        kill(pid, SIGKILL);
        static_cast<Supervisor*>(context)->orphans_left = true;
      },
      s);
  // Out of descriptors or memory: who is there is looked for again.
  if (!looked && is_shortage(errno)) s->orphans_left = true;
}

// A command may stop its own keeper (it knows its number as its parent's): that must not stop the clock.
void wake_stopped_keepers() {
  siginfo_t info = {};
  while (waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid > 0) {
    kill(info.si_pid, SIGCONT);
    info.si_pid = 0;
  }
}

void refuse(const UniqueFd& lease, int number) {
  char payload[kFailedPayload];
  pack_failed(number, static_cast<uint8_t>(SpawnStep::kFork), payload);
  send_frame(lease.get(), Frame::kFailed, Span<const char>{payload, sizeof(payload)}, Span<const int>{});
}

// A living host stops the tree of its lost watcher itself. It must find the watched process alive to be able
// to say what became of it.
void let_host_go_first(int host) {
  struct pollfd host_end = {host, POLLIN, 0};
  poll(&host_end, 1, kHostFirstMs);
}

void fork_keeper(Supervisor* s, UniqueFd lease, const WatchPayload& watch) {
  if (s->keeper_count == kMaxKeepers) return refuse(lease, EAGAIN);
  pid_t pid = fork();
  if (pid < 0) return refuse(lease, errno);
  if (pid == 0) {
    s->control.reset();
    s->alive_write.reset();
    s->own_children.fd.reset();
    KeeperDescriptors fds{lease.release(), s->alive_read.release(), s->host.release(), s->signals.release(),
                          s->proc};
    if (fds.lease < 0) let_host_go_first(fds.host);
    run_keeper(fds, s->features, watch.pid > 0 ? &watch : nullptr);
  }
  keepers[s->keeper_count++] = KeeperProcess{pid, watch};
}

// What a watcher leaves is nobody's orphan here: another one, whose lease is broken, stops it at once.
void replace_watcher(Supervisor* s, WatchPayload watch) {
  Process watched;
  // Its record is lost: without the watched process another watcher has nothing to go by.
  if (!read_process(s->proc, watch.pid, &watched)) return;
  if (static_cast<int64_t>(watched.start) != watch.start || !watched.alive()) return;
  watch.budget = 0;
  fork_keeper(s, UniqueFd(), watch);
}

void reap_all(Supervisor* s) {
  wake_stopped_keepers();
  bool keeper_died = false;
  for (;;) {
    int status = 0;
    pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) break;
    KeeperProcess* place = find_keeper(pid);
    if (place == nullptr) continue;
    const WatchPayload watch = place->watch;
    *place = keepers[--s->keeper_count];
    // One that ends by itself has proved its tree empty.
    if (WIFEXITED(status)) continue;
    if (watch.pid > 0) {
      replace_watcher(s, watch);
    } else {
      keeper_died = true;
    }
  }
  s->keeper_killed = s->keeper_killed || keeper_died;
  if (keeper_died || s->orphans_left) kill_orphans(s);
}

// Packets keep their bounds (SOCK_SEQPACKET): a frame is whole or wrong.
struct ForkFrame {
  FrameHeader header;
  WatchPayload watch;
};
static_assert(sizeof(ForkFrame) == sizeof(FrameHeader) + sizeof(WatchPayload), "as it travels");

bool is_whole(const ForkFrame& frame, ssize_t bytes) {
  const bool watches = frame.header.type == static_cast<uint16_t>(Frame::kWatch);
  const bool known = watches || frame.header.type == static_cast<uint16_t>(Frame::kFork);
  const size_t payload = watches ? sizeof(WatchPayload) : 0;
  return known && frame.header.version == kWireVersion && frame.header.size == payload &&
         bytes == static_cast<ssize_t>(sizeof(FrameHeader) + payload) && (!watches || frame.watch.pid > 1);
}

void read_control(Supervisor* s) {
  for (;;) {
    ForkFrame frame = {};
    int fds[kMaxFrameFds];
    Received received =
        receive(s->control.get(), Span<char>{reinterpret_cast<char*>(&frame), sizeof(frame)}, fds);
    UniqueFd lease(received.fd_count > 0 ? fds[0] : -1);
    for (int i = 1; i < received.fd_count; i++) close(fds[i]);
    if (received.bytes == -EAGAIN) return;
    if (!is_whole(frame, received.bytes) || received.fd_count != 1) {
      s->control.reset();
      return;
    }
    fork_keeper(s, move(lease), frame.watch);
  }
}

void read_signals(Supervisor* s) {
  char info[128 * 8];
  bool asked_to_end = false;
  for (;;) {
    ssize_t n = read(s->signals.get(), info, sizeof(info));
    if (n <= 0) break;
    for (ssize_t at = 0; at + 128 <= n; at += 128) {
      asked_to_end = asked_to_end || *reinterpret_cast<uint32_t*>(info + at) != SIGCHLD;
    }
  }
  reap_all(s);
  // Keepers see the end of the pipe and stop their trees; we stay as the one who adopts until the last has
  // ended.
  if (asked_to_end) {
    s->control.reset();
    s->alive_write.reset();
  }
}

// A host that forks without exec hands its descriptors on, the leases among them: they would outlive it. The
// pidfd does not. The host is our parent; if it has ended since, the parent is another one by now.
// False where it could not be had for want of descriptors or memory.
bool watch_host(Supervisor* s) {
  if (!s->features.pidfd) return true;
  const pid_t parent = getppid();
  UniqueFd host(pidfd_open(parent));
  if (!host.valid() && is_shortage(errno)) return false;
  if (getppid() == parent) s->host = move(host);
  return true;
}

// What can't be had for want of descriptors or memory is not missing on this system. A supervisor that took
// it so would go without for as long as its host lives: the host gets an error instead, and its next command
// another supervisor.
bool look_around(Supervisor* s) {
  s->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (s->proc < 0 && (is_shortage(errno) || errno == EINTR)) return false;
  s->features = probe_features(s->proc, getenv("PROCLEASH_DISABLE"));
  if (open_own_children(s->proc, s->features, &s->own_children) != 0) return false;
  return !s->features.shortage && watch_host(s);
}

// For want of memory, or because of a limit of descriptors that was lowered since (poll(2)): both are looked
// at.
void look_without_poll(struct pollfd waits[2]) {
  const struct timespec pause = {0, 2 * kMillisecond};
  nanosleep(&pause, nullptr);
  for (int i = 0; i < 2; i++) waits[i].revents = waits[i].fd >= 0 ? POLLIN : 0;
}

// A living host removes the cgroups of the keepers that it has lost; for a dead one we do.
void clear_cgroups(Supervisor* s) {
  struct pollfd host_end = {s->host.get(), POLLIN, 0};
  poll(&host_end, 1, kHostEndMs);
  CgroupPlaces places;
  find_places(s->proc, getenv("PROCLEASH_CGROUP"), &places);
  for (size_t i = 0; i < places.count; i++) clear_abandoned(s->proc, places.place[i].path.c_str());
}

}  // namespace

int run_supervisor(int control) {
  Supervisor* s = &supervisor;
  prctl(PR_SET_NAME, "procleash-super", 0, 0, 0);
  s->control = UniqueFd(control);
  const int watched[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, 0};
  s->signals = block_signals(watched);
  int ends[2];
  if (!s->signals.valid() || pipe2(ends, O_CLOEXEC) != 0) return 125;
  s->alive_read = UniqueFd(ends[0]);
  s->alive_write = UniqueFd(ends[1]);
  if (!look_around(s)) return 125;
  if (s->features.subreaper) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  while (s->control.valid() || s->keeper_count > 0 || s->orphans_left) {
    struct pollfd waits[2] = {{s->signals.get(), POLLIN, 0}, {s->control.get(), POLLIN, 0}};
    // Orphans that SIGKILL has not ended yet are asked for again.
    const int ready = poll(waits, 2, s->orphans_left ? 1 : -1);
    if (ready < 0 && errno != EINTR) look_without_poll(waits);
    if (waits[0].revents != 0) {
      read_signals(s);
    } else if (s->orphans_left) {
      reap_all(s);
    }
    if (waits[1].revents != 0) read_control(s);
  }
  if (s->keeper_killed) clear_cgroups(s);
  return 0;
}

}  // namespace procleash
