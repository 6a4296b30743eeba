#include "init/main_program.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "init/signals.h"

namespace procleash {
namespace {

// Our controlling terminal, if we are in its foreground: a background job must not take it.
void find_terminal(MainProgram* main) {
  for (int fd = 0; fd < 3; fd++) {
    const pid_t foreground = tcgetpgrp(fd);
    if (foreground < 0 || foreground != getpgrp()) continue;
    main->terminal = fd;
    main->foreground_before = foreground;
    return;
  }
}

[[noreturn]] void run_child(const Options& options, const MainProgram& main, pid_t parent) {
  setpgid(0, 0);
  // SIGTTOU is blocked still, so that this works from the background, where the new group is until here.
  if (main.terminal >= 0) tcsetpgrp(main.terminal, getpid());
  // When PID 1 ends the kernel ends everything. A mere subreaper's tree would stay: at least the main program
  // must not.
  if (parent != 1) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(125);
  }
  unblock_every_signal();
  execvp(options.command[0], options.command);
  const int number = errno;
  Line line = message();
  line.printable(options.command[0]) << ": ";
  if (number == ENOEXEC) {
    line << "not an executable format; a script needs #! in its first line";
  } else {
    line << strerror(number);
  }
  line.write_to(2);
  _exit(number == ENOENT || number == ENOTDIR ? 127 : 126);
}

}  // namespace

bool start_main_program(const Options& options, MainProgram* main) {
  find_terminal(main);
  const pid_t self = getpid();
  // fork and not vfork: the child sets up a terminal and may have to explain itself. We have 100 kB.
  const pid_t pid = fork();
  if (pid < 0) return false;
  if (pid == 0) run_child(options, *main, self);
  // Here as well: a signal to the group must not come too early. Fails once the child has done exec.
  setpgid(pid, pid);
  main->pid = pid;
  return true;
}

void signal_main_program(const MainProgram& main, int signal, bool group) {
  if (main.ended || main.pid <= 1) return;
  // A program that made itself a session leader (or that left for another group) emptied the group: ESRCH.
  if (group && kill(-main.pid, signal) == 0) return;
  kill(main.pid, signal);
}

void return_terminal(const MainProgram& main) {
  if (main.terminal >= 0 && main.foreground_before > 0) tcsetpgrp(main.terminal, main.foreground_before);
}

}  // namespace procleash
