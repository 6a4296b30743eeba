// The main program: init's one child by its own will. It leads a process group of its own, in the foreground
// of the terminal where there is one, and its status is init's.
#pragma once

#include <sys/types.h>

#include "init/options.h"

namespace procleash {

struct MainProgram {
  pid_t pid = 0;  // unreaped until `ended`: until then its number, and its group's, are its own
  bool ended = false;
  int status = 0;  // as wait(2) gives it
  int terminal = -1;
  pid_t foreground_before = 0;
};

// Starts it. False with errno where no process could be made; a command that can't be executed says so itself
// and ends with 126 or 127, as in a shell.
bool start_main_program(const Options& options, MainProgram* main);

// One signal to it, or to its whole group.
void signal_main_program(const MainProgram& main, int signal, bool group);

// After its end: the terminal goes back to whoever had it.
void return_terminal(const MainProgram& main);

}  // namespace procleash
