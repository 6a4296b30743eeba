/* A second thread starts the child, which leaves for a session of its own and obeys SIGTERM: the list of the
   first thread's children does not have it. */

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void obey(int signal) {
  (void)signal;
  _exit(write(1, "obeyed\n", 7) == 7 ? 0 : 1);
}

static void* start_child(void* unused) {
  (void)unused;
  if (fork() == 0) {
    setsid();
    signal(SIGTERM, obey);
    if (write(1, "made\n", 5) != 5) _exit(1);
    sleep(60);
    _exit(0);
  }
  sleep(60);
  return NULL;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, start_child, NULL) != 0) return 1;
  sleep(60);
  return 0;
}
