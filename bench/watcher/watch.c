// The witness of the benchmarks: sees processes end, from outside of every contender and in the same way for
// all. Reads commands from standard input, one a line, and answers each with one line:
//   watch PID...        -> watching COUNT         as many as are alive; their ends count from here on
//   open FIFO           -> open                   makes a FIFO: a tree that is started now writes its pids to it
//   gather COUNT MILLIS -> watching COUNT         as many pids as have come; their ends count from here on
//   await MILLIS        -> ended NANOSECONDS LEFT when the last one ended, by CLOCK_MONOTONIC; LEFT are
//                                                 alive after MILLIS, or when the next line comes
//   enough              (no answer)               ends a running await
//   left                -> left COUNT             processes of the tree that /proc shows
//   kill                -> killed COUNT           SIGKILL to those, until none is seen, for 10 seconds at most
//   close               -> closed                 forgets the FIFO
// A pidfd is readable once the whole process has ended, reaped or not: pidfd_open(2). A FIFO hangs up once nobody holds
// it any more: it sees the ends of processes that nobody has counted.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

enum { kBatch = 256, kKillMillis = 10000, kCommandLine = 4096, kDescriptors = 65536 };

static int epoll = -1;
/* Watched processes that live. */
static int alive = 0;
static int fifo = -1;
static char fifo_path[PATH_MAX];
/* Somebody may hold the FIFO open. */
static int held = 0;

static void fail(const char* call) {
  fprintf(stderr, "watch: %s: %s\n", call, strerror(errno));
  exit(1);
}

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int millis_until(long long deadline) {
  const long long rest = (deadline - now_ns()) / 1000000;
  return rest < 0 ? 0 : (int)rest;
}

/* One descriptor for each watched process. */
static void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fail("setrlimit");
}

static void add_to_epoll(int fd, unsigned events) {
  struct epoll_event event = {.events = events, .data = {.fd = fd}};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
}

/* Which descriptors are of watched processes. */
static char watches[kDescriptors];

static void end_watch(int fd) {
  close(fd);
  watches[fd] = 0;
}

/* A new one each time: what an earlier watch has left does not disturb this one. */
static void start_watch(void) {
  if (epoll >= 0) close(epoll);
  for (int fd = 0; fd < kDescriptors; fd++) {
    if (watches[fd]) end_watch(fd);
  }
  epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) fail("epoll_create1");
  alive = 0;
  add_to_epoll(STDIN_FILENO, EPOLLIN);
}

static void watch(int pid) {
  const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (fd < 0 && errno == ESRCH) return;
  if (fd < 0) fail("pidfd_open");
  if (fd >= kDescriptors) fail("too many processes");
  watches[fd] = 1;
  add_to_epoll(fd, EPOLLIN);
  alive++;
}

static void watch_all(char* pids) {
  start_watch();
  for (char* word = strtok(pids, " \n"); word != NULL; word = strtok(NULL, " \n")) watch(atoi(word));
}

static void close_fifo(void) {
  if (fifo < 0) return;
  close(fifo);
  unlink(fifo_path);
  fifo = -1;
  held = 0;
}

static void open_fifo(const char* path) {
  close_fifo();
  snprintf(fifo_path, sizeof fifo_path, "%s", path);
  if (mkfifo(path, 0600) != 0) fail("mkfifo");
  fifo = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fifo < 0) fail("open");
}

/* Answers how many have arrived. One that has ended since counts too: its line came. */
static int gather(int count, int millis) {
  const long long deadline = now_ns() + millis * 1000000LL;
  int arrived = 0;
  int pid = 0;
  start_watch();
  while (arrived < count) {
    struct pollfd wait = {.fd = fifo, .events = POLLIN};
    if (millis_until(deadline) == 0) return arrived;
    if (poll(&wait, 1, millis_until(deadline)) < 0 && errno != EINTR) fail("poll");
    if ((wait.revents & (POLLIN | POLLHUP)) == POLLHUP) return arrived;
    char bytes[4096];
    const ssize_t length = read(fifo, bytes, sizeof bytes);
    for (ssize_t i = 0; i < length; i++) {
      if (bytes[i] != '\n') {
        pid = pid * 10 + (bytes[i] - '0');
        continue;
      }
      watch(pid);
      pid = 0;
      arrived++;
    }
  }
  held = 1;
  /* Only EPOLLHUP, which is always told. */
  add_to_epoll(fifo, 0);
  return arrived;
}

/* Answers the number of those that are left; *ended is when the last of the others was seen to end. */
static int await_ends(int millis, long long* ended) {
  const long long deadline = now_ns() + millis * 1000000LL;
  struct epoll_event events[kBatch];
  *ended = now_ns();
  while (alive > 0 || held) {
    const int rest = millis_until(deadline);
    const int ready = rest == 0 ? 0 : epoll_wait(epoll, events, kBatch, rest);
    if (rest == 0) break;
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    int enough = 0;
    for (int i = 0; i < ready; i++) {
      const int fd = events[i].data.fd;
      if (fd == STDIN_FILENO) {
        enough = 1;
        continue;
      }
      *ended = now_ns();
      if (fd == fifo) {
        held = 0;
        epoll_ctl(epoll, EPOLL_CTL_DEL, fd, NULL);
      } else {
        end_watch(fd);
        alive--;
      }
    }
    if (enough) break;
  }
  return alive > 0 ? alive : held;
}

/* A zombie has no command line. What runs the tree for a contender, a shell, is not counted. */
static int is_of_the_tree(const char* pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char line[kCommandLine + 1];
  const ssize_t length = read(fd, line, kCommandLine);
  close(fd);
  if (length <= 0) return 0;
  line[length] = 0;
  const char* base = strrchr(line, '/');
  if (base == NULL || strcmp(base, "/tree") != 0) return 0;
  return memmem(line, (size_t)length, fifo_path, strlen(fifo_path)) != NULL;
}

static void kill_seen(const char* pid) {
  const int fd = (int)syscall(SYS_pidfd_open, atoi(pid), 0);
  if (fd < 0) return;
  /* Looked at again: the number may have gone to another before it was held. */
  if (is_of_the_tree(pid)) syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
  close(fd);
}

static int scan(void (*each)(const char*)) {
  DIR* proc = opendir("/proc");
  if (proc == NULL) fail("opendir");
  int count = 0;
  for (struct dirent* entry = readdir(proc); entry != NULL; entry = readdir(proc)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9' || !is_of_the_tree(entry->d_name)) continue;
    count++;
    if (each != NULL) each(entry->d_name);
  }
  closedir(proc);
  return count;
}

static int fifo_is_held(void) {
  struct pollfd wait = {.fd = fifo, .events = 0};
  return fifo >= 0 && poll(&wait, 1, 0) == 0;
}

static int kill_all(void) {
  const long long deadline = now_ns() + kKillMillis * 1000000LL;
  int count = 0;
  for (int seen = scan(kill_seen); seen > 0 || fifo_is_held(); seen = scan(kill_seen)) {
    count += seen;
    if (millis_until(deadline) == 0) break;
  }
  return count;
}

int main(void) {
  raise_descriptor_limit();
  char* line = NULL;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    int count;
    int millis;
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "watch ", 6) == 0) {
      watch_all(line + 6);
      printf("watching %d\n", alive);
    } else if (strncmp(line, "open ", 5) == 0) {
      open_fifo(line + 5);
      puts("open");
    } else if (sscanf(line, "gather %d %d", &count, &millis) == 2) {
      printf("watching %d\n", gather(count, millis));
    } else if (sscanf(line, "await %d", &millis) == 1) {
      long long ended;
      const int left = await_ends(millis, &ended);
      printf("ended %lld %d\n", ended, left);
    } else if (strcmp(line, "left") == 0) {
      printf("left %d\n", scan(NULL));
    } else if (strcmp(line, "kill") == 0) {
      printf("killed %d\n", kill_all());
    } else if (strcmp(line, "close") == 0) {
      close_fifo();
      puts("closed");
    }
    fflush(stdout);
  }
  close_fifo();
  return 0;
}
