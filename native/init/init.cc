#include "init/init.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/signals.h"
#include "init/everything.h"
#include "init/main_program.h"
#include "init/signals.h"

namespace procleash {
namespace {

constexpr int kInitFailed = 125;
// Who entered our namespace from outside ends without a SIGCHLD for us: looked for again.
constexpr Nanos kLookGap = 10 * kMillisecond;

//   running -> asking -> stopping -> killing
//      |                    ^
//      +--------------------+
//   and from every state, once the main program has ended and nothing is left: done
enum class State {
  kRunning,   // the main program runs, nobody asked for an end
  kAsking,    // -c: the main program alone was told to end
  kStopping,  // everything was told to end
  kKilling,   // SIGKILL, in rounds
  kDone,
};

struct Init {
  const Options* options;
  State state = State::kRunning;
  MainProgram main;
  Everything everything;
  UniqueFd signals;
  bool childless = false;  // the kernel says that no child is left
  Nanos ask_until = kNever;
  Nanos kill_at = kNever;
  Nanos deadline = kNever;
  Nanos next_round = kNever;

  bool says(int level) const { return options->verbosity >= level; }
};

int exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

void say_ended(Line line, pid_t pid, int status) {
  line << pid;
  if (WIFEXITED(status)) {
    line << " ended with status " << WEXITSTATUS(status);
  } else {
    line << " was ended by " << signal_name(WTERMSIG(status)).text;
  }
  line.write_to(2);
}

void tell_the_rest(Init* init) {
  init->state = State::kStopping;
  if (init->says(1)) (message() << "stopping everything that is left").write_to(2);
  // Its group, too, belongs to a main program that was asked already.
  const int to_main = init->main.ended ? SIGTERM : 0;
  init->everything.signal_all(init->main, FirstSignal{to_main, SIGTERM});
}

void start_clock(Init* init) {
  const Nanos time = now();
  init->deadline = time + init->options->budget;
  init->kill_at = init->everything.kill_time(time, init->deadline);
  init->ask_until = min(time + init->options->budget * 3 / 4, init->kill_at);
}

// SIGTERM came, and was not rewritten to nothing.
void stop_everything(Init* init, int to_main) {
  if (init->says(1)) (message() << "stopping everything").write_to(2);
  init->state = State::kStopping;
  if (!init->options->single_child && init->options->budget > 0 &&
      init->everything.signal_all(init->main, FirstSignal{to_main, SIGTERM})) {
    start_clock(init);
    return;
  }
  start_clock(init);
  if (init->options->budget == 0) return;
  init->state = State::kAsking;
  signal_main_program(init->main, to_main, init->options->group);
  signal_main_program(init->main, SIGCONT, init->options->group);
}

void main_program_ended(Init* init, int status) {
  init->main.ended = true;
  init->main.status = status;
  return_terminal(init->main);
  if (init->says(1)) say_ended(message() << "the main program ", init->main.pid, status);
}

void reap(Init* init) {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
    if (pid < 0 && errno == EINTR) continue;
    init->childless = pid < 0 && errno == ECHILD;
    if (pid <= 0) return;
    if (pid == init->main.pid && !init->main.ended) {
      main_program_ended(init, status);
    } else if (init->options->warn_of_reaped || init->says(2)) {
      say_ended(message() << "reaped: ", pid, status);
    }
    init->everything.note_reaped(init->main);
  }
}

void judge(Init* init) {
  if (!init->main.ended) return;
  if (init->childless && init->everything.empty_without_children()) {
    init->state = State::kDone;
    return;
  }
  if (init->state == State::kRunning) {
    start_clock(init);
    init->state = State::kStopping;
    if (init->options->budget > 0) tell_the_rest(init);
  } else if (init->state == State::kAsking) {
    tell_the_rest(init);
  }
}

void take_signal(Init* init, int number) {
  if (number == SIGCHLD || number < 1 || number > kLastSignal) return;
  const int target = init->options->rewritten[number];
  if (init->says(target == 0 ? 1 : 2)) {
    Line line = message() << "received " << signal_name(number).text;
    if (target == 0) line << ", dropped";
    if (target != 0 && target != number) line << ", forwarded as " << signal_name(target).text;
    line.write_to(2);
  }
  if (target == 0) return;
  const bool asks_for_end = number == SIGTERM || target == SIGTERM;
  if (asks_for_end && init->state == State::kRunning && !init->main.ended) {
    stop_everything(init, target);
  } else {
    // A second SIGTERM too: to many programs it means "now".
    signal_main_program(init->main, target, init->options->group);
  }
}

void read_signals(Init* init) {
  struct signalfd_siginfo info[16];
  for (;;) {
    const ssize_t size = read(init->signals.get(), info, sizeof(info));
    if (size <= 0) return;
    const size_t count = static_cast<size_t>(size) / sizeof(info[0]);
    for (size_t i = 0; i < count; i++) take_signal(init, static_cast<int>(info[i].ssi_signo));
  }
}

void begin_killing(Init* init) {
  init->state = State::kKilling;
  if (init->options->budget > 0) {
    Line line = message() << "not ended in time, SIGKILL to: ";
    init->everything.describe(&line);
    line.write_to(2);
  }
}

void give_up(Init* init) {
  init->state = State::kDone;
  Line line = message() << "still running: ";
  init->everything.describe(&line);
  line.write_to(2);
}

void run_timers(Init* init) {
  const Nanos time = now();
  if (init->state == State::kAsking && time >= init->ask_until) tell_the_rest(init);
  if (init->state == State::kStopping && time >= init->kill_at) begin_killing(init);
  if (init->state != State::kKilling) return;
  init->next_round = init->everything.kill_all();
  if (time >= init->deadline && init->everything.given_up(time)) give_up(init);
}

Nanos next_deadline(const Init& init) {
  Nanos next = kNever;
  if (init.state == State::kAsking) next = init.ask_until;
  if (init.state == State::kStopping) next = init.kill_at;
  if (init.state == State::kKilling) next = init.next_round;
  if (init.main.ended && init.childless) next = min(next, now() + kLookGap);
  return next;
}

void wait_for_events(Init* init) {
  struct pollfd wait = {init->signals.get(), POLLIN, 0};
  struct timespec space;
  if (ppoll(&wait, 1, until(next_deadline(*init), &space), nullptr) > 0) read_signals(init);
}

// The signal comes when the thread that started us ends (prctl(2)). It may have ended before this line.
void arm_parent_death(int signal, pid_t parent) {
  if (signal == 0) return;
  prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
  if (getppid() != parent) raise(signal);
}

int final_status(const Init& init) {
  // One that SIGKILL has not ended yet counts as ended by it.
  const int status = init.main.ended ? exit_status(init.main.status) : 128 + SIGKILL;
  return init.options->success[status] ? 0 : status;
}

}  // namespace

int run_init(const Options& options) {
  const pid_t parent = getppid();
  Init init;
  init.options = &options;
  reset_dispositions();
  init.signals = take_every_signal();
  if (!init.signals.valid()) {
    (message() << "signalfd: " << strerror(errno)).write_to(2);
    return kInitFailed;
  }
  arm_parent_death(options.parent_death_signal, parent);
  init.everything.open(options.subreaper);
  if (!init.everything.adopts()) {
    (message() << "not PID 1: orphans are not adopted, and not stopped. Give -s to adopt them").write_to(2);
  }
  if (!start_main_program(options, &init.main)) {
    (message() << "fork: " << strerror(errno)).write_to(2);
    return kInitFailed;
  }
  init.everything.note_started(init.main);
  if (init.says(1)) {
    Line line = message() << "the main program is " << init.main.pid << ": ";
    line.printable(options.command[0]).write_to(2);
  }
  while (init.state != State::kDone) {
    wait_for_events(&init);
    reap(&init);
    judge(&init);
    if (init.state != State::kDone) run_timers(&init);
  }
  return final_status(init);
}

}  // namespace procleash
