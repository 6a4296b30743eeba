/* `zombies N [MS SLEEPERS]`: makes N children that end at once, and waits for none of them. Deaf to SIGTERM;
   or, with MS, takes so long for its cleanup, and makes children that sleep before those. In C, since a fork
   of an interpreter costs ten times as much. */

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int cleanup = 0;

static void clean_up(int signal) {
  (void)signal;
  usleep((useconds_t)cleanup * 1000);
  _exit(write(1, "cleaned\n", 8) == 8 ? 0 : 1);
}

static void make_children(int count, unsigned lifetime) {
  while (count-- > 0) {
    pid_t pid = fork();
    if (pid == 0) _exit((int)sleep(lifetime));
    if (pid < 0) _exit(1);
    /* Ended, and not reaped: who still runs would run the handler, too. */
    siginfo_t info;
    if (lifetime == 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0) _exit(1);
  }
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  if (argc > 2) cleanup = atoi(argv[2]);
  if (argc > 3) make_children(atoi(argv[3]), 60);
  signal(SIGTERM, cleanup > 0 ? clean_up : SIG_IGN);
  make_children(atoi(argv[1]), 0);
  if (write(1, "made\n", 5) != 5) return 1;
  sleep(60);
  return 0;
}
