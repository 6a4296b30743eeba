// Entry of the helper executable. The addon starts it with the control socket as descriptor 3.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/signals.h"
#include "core/sys.h"
#include "core/wire.h"
#include "supervisor/specimen.h"
#include "supervisor/supervisor.h"

namespace {

constexpr int kControlAtStart = 3;
// Above what a command or a dup2 to the standard descriptors may touch.
constexpr int kControlPlace = 16;

void say(const char* text) {
  ssize_t ignored = write(1, text, strlen(text));
  (void)ignored;
}

bool is_packet_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof(type);
  return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

void close_one(int directory, const char* name) {
  char* end = nullptr;
  long fd = strtol(name, &end, 10);
  if (end == name || *end != '\0' || fd == directory || fd == kControlPlace || fd < 3) return;
  close(static_cast<int>(fd));
}

// Where close_range is missing (before 5.9, or a seccomp filter).
void close_by_list() {
  int directory = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) {
    for (int fd = 3; fd < 1024; fd++) {
      if (fd != kControlPlace) close(fd);
    }
    return;
  }
  alignas(procleash::LinuxDirent64) char buffer[4096];
  for (;;) {
    ssize_t n = procleash::getdents64(directory, buffer, sizeof(buffer));
    if (n <= 0) break;
    for (ssize_t at = 0; at < n;) {
      auto* entry = reinterpret_cast<procleash::LinuxDirent64*>(buffer + at);
      close_one(directory, entry->d_name);
      at += entry->d_reclen;
    }
  }
  close(directory);
}

// The host's descriptors are none of ours: one that stays open here would keep a pipe, a port or a lock
// alive.
bool take_over_descriptors() {
  if (fcntl(kControlAtStart, F_DUPFD_CLOEXEC, kControlPlace) != kControlPlace) {
    if (dup2(kControlAtStart, kControlPlace) < 0) return false;
    if (fcntl(kControlPlace, F_SETFD, FD_CLOEXEC) != 0) return false;
  }
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return false;
  for (int fd = 0; fd < 3; fd++) {
    if (null != fd && dup2(null, fd) < 0) return false;
  }
  const char* disabled = getenv("PROCLEASH_DISABLE");
  bool ranges = disabled == nullptr || strstr(disabled, "close_range") == nullptr;
  if (!ranges || procleash::close_range(3, kControlPlace - 1, 0) != 0 ||
      procleash::close_range(kControlPlace + 1, ~0U, 0) != 0) {
    close_by_list();
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    say("procleash-supervisor " PROCLEASH_VERSION "\n");
    return 0;
  }
  // The third argument is a name to find the tree by.
  if (argc == 3 && strcmp(argv[1], "--specimen") == 0) procleash::run_specimen();
  if (!is_packet_socket(kControlAtStart)) {
    say("procleash-supervisor is started by the procleash library, not by hand.\n");
    return 125;
  }
  setsid();
  // A helper started from memory would have a descriptor's number for its name.
  prctl(PR_SET_NAME, "procleash-supervisor", 0, 0, 0);
  // Commands of the same user can't trace helpers, nor take their sockets (pidfd_getfd(2)); forks inherit it.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  procleash::reset_dispositions();
  if (!take_over_descriptors()) return 125;
  // No file system is kept busy by our working directory.
  if (chdir("/") != 0) return 125;
  return procleash::run_supervisor(kControlPlace);
}
