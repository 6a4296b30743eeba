// scripted WORD...: a tree that behaves as its script says; the words are those of
// test/properties/script.mjs. Each process appends a byte to $CHAOS_DIR/at.$CHAOS_INDEX once it has come to
// rest: at the end of its steps, where it suspends itself, or before it ends. One without environment has
// written down who it is, as test/chaos/shapes.mjs does. All end by themselves after half a minute, unless
// they are suspended.

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kLifetime = 30, kNobody = 65534, kMostWords = 512 };

static char** words;
static char* folder;
static char* number;
static bool arrived;
static bool bare;
static volatile sig_atomic_t asked;
static int trap_from = -1;
static int trap_to = -1;

static void run(int from, int to);

static void fail(const char* call) {
  fprintf(stderr, "scripted: %s: %s\n", call, strerror(errno));
  _exit(99);
}

static void append(const char* path, const char* text, size_t size) {
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return;
  /* Whoever its makers become has to be able to write on. */
  (void)!fchmod(fd, 0666);
  (void)!write(fd, text, size);
  close(fd);
}

/* Its number and start time, by which it is found when its environment does not tell. */
static void note_oneself(void) {
  char stat[512];
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail("/proc/self/stat");
  const ssize_t size = read(fd, stat, sizeof stat);
  close(fd);
  char path[512];
  snprintf(path, sizeof path, "%s/%s.%d", folder, number, getpid());
  if (size > 0) append(path, stat, (size_t)size);
}

static void arrive(void) {
  if (arrived) return;
  arrived = true;
  char path[512];
  snprintf(path, sizeof path, "%s/at.%s", folder, number);
  append(path, ".", 1);
}

static void on_term(int signal) {
  (void)signal;
  asked = 1;
}

static void set_all(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  const int signals[] = {SIGTERM, SIGHUP, SIGINT};
  for (int i = 0; i < 3; i++) sigaction(signals[i], &action, NULL);
}

static sigset_t stop_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGINT);
  return set;
}

static void rest(void) {
  sigset_t before;
  const sigset_t stop = stop_signals();
  arrive();
  /* Blocked between the look and the wait, so that none is missed. */
  sigprocmask(SIG_BLOCK, &stop, &before);
  for (;;) {
    if (asked && trap_from >= 0) {
      asked = 0;
      sigprocmask(SIG_SETMASK, &before, NULL);
      run(trap_from, trap_to);
      sigprocmask(SIG_BLOCK, &stop, &before);
      continue;
    }
    sigsuspend(&before);
  }
}

static void sleep_millis(long millis) {
  struct timespec left = {.tv_sec = millis / 1000, .tv_nsec = millis % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

static void live(int from, int to) {
  alarm(kLifetime);
  arrived = false;
  asked = 0;
  if (bare) note_oneself();
  run(from, to);
  rest();
}

static void child(const char* how, int from, int to) {
  if (strcmp(how, "sibling") == 0) {
    /* Its parent is ours: the keeper, where the command does this. */
    const long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid < 0) fail("clone");
    if (pid == 0) live(from, to);
    return;
  }
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0 && strcmp(how, "daemon") == 0) {
    setsid();
    const pid_t second = fork();
    if (second < 0) fail("fork");
    if (second > 0) _exit(0);
  }
  if (pid == 0) live(from, to);
  if (strcmp(how, "daemon") == 0) {
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
  }
}

static void become_another_program(const char* program, int from, int to, bool with_environment) {
  static char* argv[kMostWords + 8];
  int count = 0;
  argv[count++] = "scripted";
  argv[count++] = "--at";
  argv[count++] = folder;
  argv[count++] = number;
  for (int at = from; at < to; at++) argv[count++] = words[at];
  argv[count] = NULL;
  char* nothing[] = {NULL};
  if (!with_environment && !bare) note_oneself();
  execve(program, argv, with_environment ? environ : nothing);
  fail(program);
}

/* By a copy of this program that is set-user-ID root. */
static void become_root(int from, int to) {
  char path[512];
  snprintf(path, sizeof path, "%s/root", folder);
  become_another_program(path, from, to, !bare);
}

static void close_output(void) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; fd++) dup2(null, fd);
  close(null);
}

static void become_nobody(void) {
  (void)!setgroups(0, NULL);
  (void)!setresgid(kNobody, kNobody, kNobody);
  (void)!setresuid(kNobody, kNobody, kNobody);
}

static void die(int signal) {
  sigset_t set;
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigaction(signal, &usual, NULL);
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  raise(signal);
}

/* The end of the block that begins after the bracket at `open`. */
static int closing(int open, int to) {
  int depth = 0;
  for (int at = open; at < to; at++) {
    if (strcmp(words[at], "{") == 0) depth++;
    if (strcmp(words[at], "}") == 0 && --depth == 0) return at;
  }
  fprintf(stderr, "scripted: a block does not end\n");
  _exit(98);
}

static void simple(const char* word) {
  const sigset_t stop = stop_signals();
  if (strcmp(word, "setsid") == 0) {
    setsid();
  } else if (strcmp(word, "group") == 0) {
    setpgid(0, 0);
  } else if (strcmp(word, "ignore") == 0) {
    set_all(SIG_IGN);
  } else if (strcmp(word, "block") == 0) {
    sigprocmask(SIG_BLOCK, &stop, NULL);
  } else if (strcmp(word, "suspend") == 0) {
    arrive();
    raise(SIGSTOP);
  } else if (strcmp(word, "close") == 0) {
    close_output();
  } else if (strcmp(word, "write") == 0) {
    (void)!write(1, "line\n", 5);
  } else if (strcmp(word, "user") == 0) {
    become_nobody();
  } else if (strcmp(word, "subreaper") == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  } else {
    fprintf(stderr, "scripted: there is no word %s\n", word);
    _exit(98);
  }
}

static void run(int from, int to) {
  for (int at = from; at < to; at++) {
    const char* word = words[at];
    const int next = at + 1 < to ? at + 1 : at;
    if (strcmp(word, "fork") == 0 || strcmp(word, "daemon") == 0 || strcmp(word, "sibling") == 0) {
      at = closing(next, to);
      child(word, next + 1, at);
    } else if (strcmp(word, "trap") == 0) {
      at = closing(next, to);
      trap_from = next + 1;
      trap_to = at;
      set_all(on_term);
    } else if (strcmp(word, "exec") == 0 || strcmp(word, "bare") == 0) {
      become_another_program("/proc/self/exe", at + 1, to, strcmp(word, "exec") == 0 && !bare);
    } else if (strcmp(word, "root") == 0) {
      become_root(at + 1, to);
    } else if (strcmp(word, "wait") == 0) {
      sleep_millis(atol(words[++at]));
    } else if (strcmp(word, "exit") == 0) {
      arrive();
      _exit(atoi(words[next]));
    } else if (strcmp(word, "die") == 0) {
      arrive();
      die(atoi(words[next]));
    } else {
      simple(word);
    }
  }
}

int main(int argc, char** argv) {
  const bool again = argc > 3 && strcmp(argv[1], "--at") == 0;
  const int first = again ? 4 : 1;
  folder = again ? argv[2] : getenv("CHAOS_DIR");
  number = again ? argv[3] : getenv("CHAOS_INDEX");
  if (folder == NULL || number == NULL || argc - first > kMostWords) {
    fputs("usage: CHAOS_DIR=FOLDER CHAOS_INDEX=N scripted WORD...\n", stderr);
    return 2;
  }
  /* Of a set-user-ID program: all the others as well, so that its maker can't signal it any more. */
  if (geteuid() == 0 && setresuid(0, 0, 0) != 0) fail("setresuid");
  bare = again && environ[0] == NULL;
  words = argv + first;
  alarm(kLifetime);
  run(0, argc - first);
  rest();
}
