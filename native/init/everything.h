// Everything that init answers for. As PID 1: all other processes of its PID namespace, those that entered it
// from outside (docker exec) too; kill(2) with -1 names them all at once, and forks can't run away from it.
// Otherwise: its own descendants, and -1 is never used.
#pragma once

#include "core/clock.h"
#include "init/main_program.h"

namespace procleash {

struct FirstSignal {
  int to_main;  // to the main program's group
  int to_rest;
};

class Everything {
 public:
  // `subreaper`: adopt orphans although we are not PID 1.
  void open(bool subreaper);

  bool is_pid_1() const { return pid_1_; }
  bool adopts() const { return pid_1_ || subreaper_; }

  // The first signal to each process, once, then SIGCONT, so that a stopped one can act on it. False where
  // the rest can't be told from the main program's group (no /proc of this PID namespace); then nobody was
  // signalled.
  bool signal_all(const MainProgram& main, FirstSignal first);

  // Begins a stop's clock: when SIGKILL must begin; more processes need more time.
  Nanos kill_time(Nanos requested, Nanos deadline);

  // A round of SIGKILL, if one is due. Gives when the next is.
  Nanos kill_all();

  // The main program has started; something was reaped.
  void note_started(const MainProgram& main);
  void note_reaped(const MainProgram& main);

  // Whether nothing is left, given that wait(2) has told that no child is.
  bool empty_without_children() const;

  // Past the deadline: whether to end nonetheless.
  bool given_up(Nanos time);

  // What is running now, as text for a message.
  void describe(Line* line);

 private:
  bool pid_1_ = false;
  bool subreaper_ = false;
  Nanos next_round_ = 0;
};

}  // namespace procleash
