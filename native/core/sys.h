// System calls that the C libraries of our range (glibc 2.28, musl 1.2) lack or wrap in their own way.
// Each returns what the kernel returns, with errno set.
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace procleash {

// P_PIDFD of waitid(2), Linux 5.4.
constexpr auto kPidfd = static_cast<idtype_t>(3);

// include/uapi/linux/sched.h, Linux 5.7
constexpr uint64_t kCloneIntoCgroup = 0x200000000ULL;

// struct clone_args of include/uapi/linux/sched.h, as of Linux 5.7.
struct CloneArguments {
  uint64_t flags;
  uint64_t pidfd;
  uint64_t child_tid;
  uint64_t parent_tid;
  uint64_t exit_signal;
  uint64_t stack;
  uint64_t stack_size;
  uint64_t tls;
  uint64_t set_tid;
  uint64_t set_tid_size;
  uint64_t cgroup;
};

// include/uapi/linux/pidfd.h, Linux 6.9
constexpr unsigned kPidfdSignalProcessGroup = 1U << 2;
// PIDFD_GET_INFO with the first size of its struct, of include/uapi/linux/pidfd.h, Linux 6.13.
struct PidfdInfo {
  uint64_t mask;
  uint64_t cgroup;
  uint32_t pid;
  uint32_t tgid;
  uint32_t ppid;
  uint32_t ids[8];
  uint32_t spare;
};
constexpr unsigned long kPidfdGetInfo = _IOWR(0xff, 11, PidfdInfo);
constexpr uint64_t kPidfdInfoPid = 1;

// include/uapi/linux/close_range.h, Linux 5.11
constexpr unsigned kCloseRangeCloexec = 1U << 2;

// include/uapi/linux/memfd.h; the second since Linux 6.3
constexpr unsigned kMemfdCloexec = 1U;
constexpr unsigned kMemfdExec = 1U << 4;

inline int memfd_create(const char* name, unsigned flags) {
  return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}

// Executes the file that the descriptor stands for: execveat(2) with AT_EMPTY_PATH.
inline void exec_descriptor(int fd, char* const* argv, char* const* envp) {
  constexpr int kEmptyPath = 0x1000;
  syscall(SYS_execveat, fd, "", argv, envp, kEmptyPath);
}

inline int pidfd_open(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0U)); }

inline int pidfd_send_signal(int pidfd, int signal, unsigned flags) {
  return static_cast<int>(syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, flags));
}

// The process's parent as seen from the caller's PID namespace; -1 where that can't be told.
inline pid_t pidfd_parent(int pidfd) {
  PidfdInfo info = {};
  info.mask = kPidfdInfoPid;
  return ioctl(pidfd, kPidfdGetInfo, &info) == 0 ? static_cast<pid_t>(info.ppid) : -1;
}

inline int close_range(unsigned first, unsigned last, unsigned flags) {
  return static_cast<int>(syscall(SYS_close_range, first, last, flags));
}

// Signal 0, which only looks: ESRCH where the number is no process's, a thread's for instance (tgkill(2)).
inline bool names_process(pid_t pid) { return syscall(SYS_tgkill, pid, pid, 0) == 0 || errno != ESRCH; }

struct LinuxDirent64 {
  uint64_t d_ino;
  int64_t d_off;
  uint16_t d_reclen;
  uint8_t d_type;
  char d_name[];
};

// Bytes read into the buffer, 0 at the end of the directory. Unlike readdir(3) it allocates nothing.
inline ssize_t getdents64(int fd, void* buffer, size_t size) {
  return syscall(SYS_getdents64, fd, buffer, size);
}

}  // namespace procleash
