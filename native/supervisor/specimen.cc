#include "supervisor/specimen.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace procleash {
namespace {

constexpr unsigned kLifetime = 60;  // seconds
constexpr long kHop = 5'000'000;    // ns
constexpr int kHops = 12'000;       // a lifetime of them

void tell(const char* role) {
  ssize_t ignored = write(1, role, strlen(role));
  (void)ignored;
}

[[noreturn]] void stay(const char* role) {
  alarm(kLifetime);
  tell(role);
  for (;;) pause();
}

void ignore_terminate() { signal(SIGTERM, SIG_IGN); }

// A new process in a new session all the time: a list of processes is out of date before it is complete.
[[noreturn]] void hop() {
  tell("hopper\n");
  for (int i = 0; i < kHops; i++) {
    const struct timespec pause = {0, kHop};
    nanosleep(&pause, nullptr);
    const pid_t next = fork();
    if (next > 0) _exit(0);
    if (next == 0) setsid();
  }
  _exit(0);
}

void leave_another(int) {
  if (fork() != 0) _exit(0);
  setsid();
  ignore_terminate();
  alarm(kLifetime);
  for (;;) pause();
}

void start_daemon() {
  if (fork() != 0) _exit(0);
  setsid();
  if (fork() != 0) _exit(0);
  ignore_terminate();
  stay("daemon\n");
}

}  // namespace

void run_specimen() {
  ignore_terminate();
  if (fork() == 0) stay("deaf\n");
  if (fork() == 0) {
    setsid();
    stay("session\n");
  }
  if (fork() == 0) start_daemon();
  if (fork() == 0) {
    tell("stopped\n");
    raise(SIGSTOP);
    _exit(0);
  }
  if (fork() == 0) {
    signal(SIGTERM, leave_another);
    stay("reborn\n");
  }
  if (fork() == 0) hop();
  stay("leader\n");
}

}  // namespace procleash
