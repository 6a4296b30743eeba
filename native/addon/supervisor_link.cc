#include "addon/supervisor_link.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "addon/descriptors.h"
#include "addon/helper_image.h"
#include "core/proc.h"
#include "core/sys.h"

extern char** environ;

namespace procleash {
namespace {

// Commands that follow each other within this time find a keeper ready; it waits so long for the next one.
constexpr Nanos kSpareTime = kSecond;

struct Credentials {
  uid_t uid;
  uid_t euid;
  gid_t gid;
  gid_t egid;
};

// The only global of the addon: one supervisor for the process, whatever thread asks.
struct Link {
  pthread_mutex_t lock;
  int control;  // 0: none
  int pidfd;    // -1 where the kernel has none
  pid_t pid;
  int spare;         // our end of the lease of a keeper that waits for a command; 0: none
  Nanos last_start;  // of a command
  Credentials credentials;
  bool proved;
};
Link link = {PTHREAD_MUTEX_INITIALIZER, 0, -1, 0, 0, -kSpareTime, {}, false};

Credentials current_credentials() { return Credentials{getuid(), geteuid(), getgid(), getegid()}; }

bool same(const Credentials& a, const Credentials& b) {
  return a.uid == b.uid && a.euid == b.euid && a.gid == b.gid && a.egid == b.egid;
}

// `path` is null for the file that `memory` stands for. `error` is volatile: the compiler knows that _exit
// reads no memory, and would drop the store.
[[noreturn]] void exec_helper(const char* path, int memory, int control, volatile int* error) {
  if (control == 3) {
    fcntl(control, F_SETFD, 0);
  } else {
    dup2(control, 3);
  }
  char name[] = "procleash-supervisor";
  char* argv[] = {name, nullptr};
  if (path != nullptr) {
    execve(path, argv, environ);
  } else {
    exec_descriptor(memory, argv, environ);
  }
  // The memory is the parent's (vfork), which waits for us.
  *error = errno;
  _exit(127);
}

// Just started and unreaped: the number is its.
void end_helper(pid_t pid) {
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, __WALL) < 0 && errno == EINTR) {
  }
}

// The signals are blocked meanwhile: a handler of the runtime must not run in the child, which shares its
// memory.
pid_t start_helper(const char* path, int memory, int control, int* error) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failed = 0;
  pid_t pid = vfork();
  if (pid == 0) exec_helper(path, memory, control, &failed);
  *error = pid < 0 ? errno : failed;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid > 0 && *error != 0) end_helper(pid);
  return pid;
}

pid_t start_helper_from_memory(int control, int* error) {
  UniqueFd memory;
  *error = helper_in_memory(&memory);
  return *error != 0 ? -1 : start_helper(nullptr, memory.get(), control, error);
}

// The caller holds the lock.
int start_supervisor(const Helper& helper, HelperFailure* failure) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  pid_t pid = start_helper(helper.path, -1, theirs.get(), &failure->file);
  if (failure->file != 0) {
    if (!helper.or_from_memory) return failure->file;
    pid = start_helper_from_memory(theirs.get(), &failure->memory);
    if (failure->memory != 0) return failure->file;
  }
  const int pidfd = pidfd_open(pid);
  if (pidfd < 0 && is_shortage(errno)) {
    // Without it nobody would ever take its status.
    const int error = errno;
    end_helper(pid);
    return error;
  }
  link.control = ours.release();
  link.pid = pid;
  link.pidfd = pidfd;
  link.credentials = current_credentials();
  return 0;
}

void drop_spare() {
  if (link.spare != 0) close(link.spare);
  link.spare = 0;
}

void drop_supervisor() {
  if (link.control == 0) return;
  close(link.control);
  link.control = 0;
  // Whoever watches it takes its status; nobody does where epoll_ctl(2) had no memory.
  if (link.pidfd >= 0) {
    reap_supervisor(link.pidfd);
    close(link.pidfd);
  }
  link.pidfd = -1;
  drop_spare();
}

// A host that gave up its privileges must not have commands started with them: its old supervisor only
// finishes.
void drop_supervisor_of_other_user() {
  if (link.control != 0 && !same(link.credentials, current_credentials())) drop_supervisor();
}

int offer(const LeaseOffer& lease) {
  const Span<const int> fds{&lease.lease_end, 1};
  const Span<const char> watch{reinterpret_cast<const char*>(lease.watch), sizeof(WatchPayload)};
  ssize_t n = lease.watch == nullptr ? send_frame(link.control, Frame::kFork, Span<const char>{}, fds)
                                     : send_frame(link.control, Frame::kWatch, watch, fds);
  return n < 0 ? static_cast<int>(-n) : 0;
}

bool supervisor_gone(int error) { return error == EPIPE || error == ECONNRESET || error == ENOTCONN; }

int hand_over(const Helper& helper, const LeaseOffer& lease, HelperFailure* failure) {
  drop_supervisor_of_other_user();
  if (link.control != 0) {
    int error = offer(lease);
    if (!supervisor_gone(error)) return error;
    drop_supervisor();
  }
  int error = start_supervisor(helper, failure);
  if (error != 0) return error;
  error = offer(lease);
  // One that ends right after its start is no helper of ours. It stays until the next try: the caller watches
  // it meanwhile, and takes its status.
  *failure = HelperFailure{supervisor_gone(error) ? error : 0, 0};
  return error;
}

void fork_spare() {
  FdPair lease;
  if (link.control == 0 || link.spare != 0 || make_socket_pair(SOCK_STREAM, &lease) != 0) return;
  if (offer(LeaseOffer{lease.theirs.get()}) == 0) link.spare = lease.ours.release();
}

}  // namespace

// Before Linux 5.4 a killed supervisor stays a zombie until the host ends: to wait for it by number could
// take the status of a child of the runtime that has the number by now.
void reap_supervisor(int watch) {
  siginfo_t info = {};
  while (waitid(kPidfd, static_cast<id_t>(watch), &info, WEXITED | WNOHANG | __WALL) != 0 && errno == EINTR) {
  }
}

UniqueFd take_spare() {
  pthread_mutex_lock(&link.lock);
  drop_supervisor_of_other_user();
  // It was killed, or its supervisor was.
  if (link.spare != 0 && peer_gone(link.spare)) drop_spare();
  UniqueFd spare(link.spare != 0 ? link.spare : -1);
  link.spare = 0;
  pthread_mutex_unlock(&link.lock);
  return spare;
}

Nanos tend_spare(bool started) {
  pthread_mutex_lock(&link.lock);
  const Nanos time = now();
  if (started) {
    if (time - link.last_start < kSpareTime) fork_spare();
    link.last_start = time;
  } else if (time >= link.last_start + kSpareTime) {
    drop_spare();
  }
  const Nanos next = link.spare != 0 ? link.last_start + kSpareTime : kNever;
  pthread_mutex_unlock(&link.lock);
  return next;
}

void forget_spare() {
  pthread_mutex_lock(&link.lock);
  drop_spare();
  pthread_mutex_unlock(&link.lock);
}

int hand_over_lease(const Helper& helper, const LeaseOffer& lease, HelperFailure* failure) {
  pthread_mutex_lock(&link.lock);
  int error = hand_over(helper, lease, failure);
  pthread_mutex_unlock(&link.lock);
  return error;
}

void prove_helper() {
  pthread_mutex_lock(&link.lock);
  link.proved = true;
  pthread_mutex_unlock(&link.lock);
}

bool helper_proved() {
  pthread_mutex_lock(&link.lock);
  const bool proved = link.proved;
  pthread_mutex_unlock(&link.lock);
  return proved;
}

int watch_supervisor(pid_t known, pid_t* pid) {
  pthread_mutex_lock(&link.lock);
  const int source = link.pidfd >= 0 ? link.pidfd : link.control;
  const int fd = link.control != 0 && link.pid != known ? fcntl(source, F_DUPFD_CLOEXEC, 3) : -1;
  *pid = link.pid;
  pthread_mutex_unlock(&link.lock);
  return fd;
}

}  // namespace procleash
