#include "addon/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace procleash {
namespace {

// A host may run with 0 to 2 closed; what lands there would be overwritten by the first dup2 of somebody
// else.
int raise(int fd, UniqueFd* out) {
  if (fd > 2) {
    out->reset(fd);
    return 0;
  }
  int raised = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  int error = raised < 0 ? errno : 0;
  close(fd);
  out->reset(raised);
  return error;
}

int raise_pair(int ours, int theirs, FdPair* out) {
  int first = raise(ours, &out->ours);
  int second = raise(theirs, &out->theirs);
  return first != 0 ? first : second;
}

int set_nonblocking(int fd, bool on) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return errno;
  flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  return fcntl(fd, F_SETFL, flags) == 0 ? 0 : errno;
}

int flags_of(OpenFor use) {
  if (use == OpenFor::kRead) return O_RDONLY;
  return O_WRONLY | O_CREAT | (use == OpenFor::kAppend ? O_APPEND : O_TRUNC);
}

int open_file(const char* path, int flags, UniqueFd* out) {
  // O_NONBLOCK: opening a FIFO must not wait for its other end. The command gets a blocking descriptor.
  int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
  if (fd < 0) return errno;
  int error = raise(fd, out);
  return error != 0 ? error : set_nonblocking(out->get(), false);
}

}  // namespace

int make_socket_pair(int type, FdPair* out) {
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  return raise_pair(ends[0], ends[1], out);
}

int make_pipe(PipeUse use, FdPair* out) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  const bool we_write = use == PipeUse::kWeWrite;
  int error = raise_pair(we_write ? ends[1] : ends[0], we_write ? ends[0] : ends[1], out);
  return error != 0 ? error : set_nonblocking(out->ours.get(), true);
}

int open_path(const char* path, OpenFor use, UniqueFd* out) { return open_file(path, flags_of(use), out); }

int open_private(const char* path, OpenFor use, UniqueFd* out) {
  return open_file(path, flags_of(use) | O_NOFOLLOW, out);
}

bool never_waits(int fd) {
  struct stat status = {};
  // The call itself: glibc before 2.33 has no function of that name.
  if (syscall(SYS_fstat, fd, &status) != 0) return false;
  return S_ISREG(status.st_mode) || S_ISCHR(status.st_mode);
}

int duplicate(int fd, UniqueFd* out) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return errno;
  out->reset(copy);
  return 0;
}

int open_directory(UniqueFd* out) {
  int fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  return raise(fd, out);
}

ssize_t write_quietly(int fd, const char* data, size_t size) {
  sigset_t pipe_signal;
  sigset_t before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  ssize_t n = 0;
  do {
    n = write(fd, data, size);
  } while (n < 0 && errno == EINTR);
  ssize_t result = n < 0 ? -errno : n;
  // The signal of this write is pending in this thread alone: it is taken away before the mask is put back,
  // unless it was blocked before and may be somebody else's.
  if (result == -EPIPE && sigismember(&before, SIGPIPE) == 0) {
    struct timespec none = {};
    sigtimedwait(&pipe_signal, nullptr, &none);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return result;
}

}  // namespace procleash
