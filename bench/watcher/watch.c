// The witness of the benchmarks: sees processes end, from outside of every contender and in the same way for
// all. Reads commands from standard input, one a line, and answers each with one line:
//   watch PID...     -> watching COUNT               as many as are alive; their ends count from here on
//   await MILLIS     -> ended NANOSECONDS LEFT       when the last one ended, by CLOCK_MONOTONIC;
//                                                  LEFT are alive after MILLIS
// A pidfd is readable once the whole process has ended, reaped or not: pidfd_open(2).

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum { kBatch = 256 };

static void fail(const char* call) {
  fprintf(stderr, "watch: %s: %s\n", call, strerror(errno));
  exit(1);
}

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* One descriptor for each watched process. */
static void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fail("setrlimit");
}

static int watch(int epoll, char* pids) {
  int count = 0;
  for (char* word = strtok(pids, " \n"); word != NULL; word = strtok(NULL, " \n")) {
    int fd = (int)syscall(SYS_pidfd_open, atoi(word), 0);
    if (fd < 0 && errno == ESRCH) continue;
    if (fd < 0) fail("pidfd_open");
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
    count++;
  }
  return count;
}

/* Answers the number of those that are left; *ended is when the last of the others was seen to end. */
static int await_ends(int epoll, int left, int millis, long long* ended) {
  const long long deadline = now_ns() + millis * 1000000LL;
  struct epoll_event events[kBatch];
  *ended = now_ns();
  while (left > 0) {
    long long rest = (deadline - now_ns()) / 1000000;
    if (rest <= 0) return left;
    int ready = epoll_wait(epoll, events, kBatch, (int)rest);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    if (ready > 0) *ended = now_ns();
    for (int i = 0; i < ready; i++) {
      close(events[i].data.fd);
      left--;
    }
  }
  return left;
}

int main(void) {
  raise_descriptor_limit();
  char* line = NULL;
  size_t size = 0;
  int epoll = -1;
  int left = 0;
  while (getline(&line, &size, stdin) > 0) {
    if (strncmp(line, "watch ", 6) == 0) {
      /* A new one each time: what an earlier watch has left does not disturb this one. */
      if (epoll >= 0) close(epoll);
      epoll = epoll_create1(EPOLL_CLOEXEC);
      if (epoll < 0) fail("epoll_create1");
      left = watch(epoll, line + 6);
      printf("watching %d\n", left);
    } else if (strncmp(line, "await ", 6) == 0) {
      long long ended;
      left = await_ends(epoll, left, atoi(line + 6), &ended);
      printf("ended %lld %d\n", ended, left);
    }
    fflush(stdout);
  }
  return 0;
}
