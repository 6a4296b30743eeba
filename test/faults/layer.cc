// Between our native code and its C library, in the test build only: the linker sends each call of calls.mjs
// through here (ld(1), --wrap), and here the one that the fault page names fails as it is told to. Counts the
// calls of each role. The page is a file that the test maps too, so that a fault can be lifted while
// everything runs.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "core/sys.h"

namespace {

enum class Role : int32_t { kHost, kLaunch, kSupervisor, kKeeper, kChild };
constexpr int kRoles = 5;
constexpr int kMostCalls = 64;
static_assert(kCallCount <= kMostCalls);

// As page.mjs knows it.
struct Page {
  int32_t armed;
  Role role;
  int32_t call;
  int32_t error;
  int32_t first;  // of the calls of that role, from 1
  int32_t last;
  int32_t fired;
  int32_t unused;
  int32_t seen[kRoles][kMostCalls];
};

Page nobody;
Page* page = nullptr;
pid_t own = 0;
#ifdef PROCLEASH_FAULT_HOST
Role own_role = Role::kHost;
constexpr Role kBeforeExec = Role::kLaunch;
#else
Role own_role = Role::kSupervisor;
constexpr Role kBeforeExec = Role::kChild;
#endif

}  // namespace

extern "C" {
#define REAL(type, name, ...) type __real_##name(__VA_ARGS__)
REAL(int, open, const char*, int, ...);
REAL(void*, mmap, void*, size_t, int, int, int, off_t);
REAL(int, close, int);
REAL(long, syscall, long, ...);
}

namespace {

void open_page() {
  page = &nobody;
  own = getpid();
  const char* path = getenv("PROCLEASH_FAULT_PAGE");
  const int fd = path != nullptr ? __real_open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void* memory = __real_mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory != MAP_FAILED) page = static_cast<Page*>(memory);
  __real_close(fd);
}

bool strikes(Role role, int call) {
  const int32_t nth = __atomic_add_fetch(&page->seen[static_cast<int>(role)][call], 1, __ATOMIC_SEQ_CST);
  if (page->role != role || page->call != call || nth < page->first || nth > page->last) return false;
  __atomic_add_fetch(&page->fired, 1, __ATOMIC_SEQ_CST);
  errno = page->error;
  return true;
}

// Whether this call fails; errno then says how. `wants` is the shortage that it would meet.
bool fails(int call, int wants = -1) {
  const int before = errno;
  if (page == nullptr) open_page();
  if (__atomic_load_n(&page->armed, __ATOMIC_SEQ_CST) == 0) return false;
  // Between vfork and exec the memory is the parent's; the number is not.
  const Role role = getpid() == own ? own_role : kBeforeExec;
  const bool one = strikes(role, call);
  const int error = errno;
  const bool all = wants >= 0 && strikes(role, wants);
  errno = one ? error : all ? page->error : before;
  return one || all;
}

int call_of(long number) {
  switch (number) {
    case SYS_pidfd_open:
      return kCall_pidfd_open;
    case SYS_pidfd_send_signal:
      return kCall_pidfd_send_signal;
    case SYS_clone3:
      return kCall_clone3;
    case SYS_close_range:
      return kCall_close_range;
    case SYS_memfd_create:
      return kCall_memfd_create;
    case SYS_execveat:
      return kCall_execveat;
    case SYS_getdents64:
      return kCall_getdents64;
    default:
      return -1;
  }
}

int wants_of(long number) {
  if (number == SYS_pidfd_open || number == SYS_memfd_create) return kCall_descriptors;
  return number == SYS_clone3 || number == SYS_getdents64 ? kCall_memory : -1;
}

}  // namespace

extern "C" {

#define WRAP(type, failed, name, wants, parameters, arguments) \
  type __real_##name parameters;                               \
  type __wrap_##name parameters {                              \
    if (fails(kCall_##name, wants)) return failed;             \
    return __real_##name arguments;                            \
  }

WRAP(ssize_t, -1, read, kCall_memory, (int fd, void* data, size_t size), (fd, data, size))
WRAP(ssize_t, -1, write, -1, (int fd, const void* data, size_t size), (fd, data, size))
WRAP(int, -1, pipe2, kCall_descriptors, (int ends[2], int flags), (ends, flags))
WRAP(int, -1, socketpair, kCall_descriptors, (int domain, int type, int protocol, int ends[2]),
     (domain, type, protocol, ends))
WRAP(int, -1, dup2, -1, (int from, int to), (from, to))
WRAP(int, -1, execve, kCall_memory, (const char* path, char* const argv[], char* const envp[]),
     (path, argv, envp))
WRAP(pid_t, -1, waitpid, -1, (pid_t pid, int* status, int options), (pid, status, options))
WRAP(int, -1, waitid, -1, (idtype_t type, id_t id, siginfo_t* info, int options), (type, id, info, options))
WRAP(int, -1, kill, -1, (pid_t pid, int signal), (pid, signal))
WRAP(pid_t, -1, setsid, -1, (), ())
WRAP(int, -1, poll, kCall_memory, (struct pollfd * waits, nfds_t count, int timeout), (waits, count, timeout))
WRAP(int, -1, ppoll, kCall_memory,
     (struct pollfd * waits, nfds_t count, const struct timespec* timeout, const sigset_t* mask),
     (waits, count, timeout, mask))
WRAP(int, -1, epoll_create1, kCall_descriptors, (int flags), (flags))
WRAP(int, -1, epoll_ctl, kCall_memory, (int epoll, int what, int fd, struct epoll_event* event),
     (epoll, what, fd, event))
WRAP(int, -1, epoll_wait, -1, (int epoll, struct epoll_event* events, int count, int timeout),
     (epoll, events, count, timeout))
WRAP(int, -1, eventfd, kCall_descriptors, (unsigned value, int flags), (value, flags))
WRAP(int, -1, signalfd, kCall_descriptors, (int fd, const sigset_t* mask, int flags), (fd, mask, flags))
WRAP(ssize_t, -1, sendmsg, kCall_memory, (int socket, const struct msghdr* message, int flags),
     (socket, message, flags))
WRAP(ssize_t, -1, send, kCall_memory, (int socket, const void* data, size_t size, int flags),
     (socket, data, size, flags))
WRAP(ssize_t, -1, recvmsg, kCall_memory, (int socket, struct msghdr* message, int flags),
     (socket, message, flags))
WRAP(ssize_t, -1, recv, kCall_memory, (int socket, void* data, size_t size, int flags),
     (socket, data, size, flags))
WRAP(void*, MAP_FAILED, mmap, kCall_memory,
     (void* at, size_t size, int protection, int flags, int fd, off_t offset),
     (at, size, protection, flags, fd, offset))
WRAP(int, -1, chdir, kCall_memory, (const char* path), (path))
WRAP(int, -1, fchdir, -1, (int fd), (fd))
WRAP(off_t, -1, lseek, -1, (int fd, off_t offset, int whence), (fd, offset, whence))
WRAP(ssize_t, -1, readlinkat, kCall_memory, (int directory, const char* path, char* out, size_t size),
     (directory, path, out, size))
WRAP(int, -1, faccessat, kCall_memory, (int directory, const char* path, int mode, int flags),
     (directory, path, mode, flags))
WRAP(int, -1, nanosleep, -1, (const struct timespec* time, struct timespec* left), (time, left))
WRAP(int, errno, pthread_create, kCall_memory,
     (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* data),
     (thread, attributes, run, data))

// Has freed the number when it fails (close(2), EINTR).
int __wrap_close(int fd) {
  const bool failed = fails(kCall_close);
  const int error = errno;
  const int result = __real_close(fd);
  if (!failed) return result;
  errno = error;
  return -1;
}

int __wrap_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(kCall_open, kCall_descriptors) ? -1 : __real_open(path, flags, mode);
}

int __real_openat(int directory, const char* path, int flags, ...);
int __wrap_openat(int directory, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(kCall_openat, kCall_descriptors) ? -1 : __real_openat(directory, path, flags, mode);
}

int __real_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...) {
  va_list rest;
  va_start(rest, what);
  const long value = va_arg(rest, long);
  va_end(rest);
  return fails(kCall_fcntl, what == F_DUPFD_CLOEXEC ? kCall_descriptors : -1) ? -1
                                                                              : __real_fcntl(fd, what, value);
}

int __real_prctl(int what, ...);
int __wrap_prctl(int what, ...) {
  va_list rest;
  va_start(rest, what);
  unsigned long a[4];
  for (unsigned long& value : a) value = va_arg(rest, unsigned long);
  va_end(rest);
  return fails(kCall_prctl) ? -1 : __real_prctl(what, a[0], a[1], a[2], a[3]);
}

void* __real_mremap(void* at, size_t before, size_t after, int flags, ...);
void* __wrap_mremap(void* at, size_t before, size_t after, int flags, ...) {
  return fails(kCall_mremap, kCall_memory) ? MAP_FAILED : __real_mremap(at, before, after, flags);
}

long __wrap_syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a[6];
  for (long& value : a) value = va_arg(rest, long);
  va_end(rest);
  const int call = call_of(number);
  if (call >= 0 && fails(call, wants_of(number))) return -1;
  return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

pid_t __real_fork();
pid_t __wrap_fork() {
  if (fails(kCall_fork, kCall_memory)) return -1;
  const pid_t pid = __real_fork();
  if (pid == 0) {
    own = getpid();
    own_role = Role::kKeeper;
  }
  return pid;
}

// Its caller's frame must be the one that vfork returns to, twice: no function of C++ can stand between.
__attribute__((visibility("hidden"))) int procleash_vfork_fails() {
  return fails(kCall_vfork, kCall_memory) ? 1 : 0;
}

#if defined(__x86_64__)
asm(".globl __wrap_vfork\n"
    ".hidden __wrap_vfork\n"
    ".type __wrap_vfork, @function\n"
    "__wrap_vfork:\n"
    "  sub $8, %rsp\n"
    "  call procleash_vfork_fails\n"
    "  add $8, %rsp\n"
    "  test %eax, %eax\n"
    "  jnz 1f\n"
    "  jmp __real_vfork@PLT\n"
    "1:\n"
    "  mov $-1, %eax\n"
    "  ret\n");
#elif defined(__aarch64__)
asm(".globl __wrap_vfork\n"
    ".hidden __wrap_vfork\n"
    ".type __wrap_vfork, %function\n"
    "__wrap_vfork:\n"
    "  stp x29, x30, [sp, #-16]!\n"
    "  bl procleash_vfork_fails\n"
    "  ldp x29, x30, [sp], #16\n"
    "  cbnz w0, 1f\n"
    "  b __real_vfork\n"
    "1:\n"
    "  mov w0, #-1\n"
    "  ret\n");
#endif

}  // extern "C"
