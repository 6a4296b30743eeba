// Turns JavaScript's numbers and strings into a command on its way: descriptors made, lease handed to the
// supervisor, request sent. Blocks for no longer than those system calls take.
#pragma once

#include "addon/reactor.h"

namespace procleash {

// The places of the numbers that JavaScript passes; the failed step and its detail are answers.
enum Param : size_t {
  kArgc,
  kEnvc,  // -1: the host's environ
  kTimeout,
  kBudget,
  kStopSignal,
  kFlags,
  kStdin,
  kStdout,
  kStderr,
  kMaxOutput,
  kFailedStep,
  kFailedDetail,
  kLimitMemory,  // -1: none
  kLimitProcesses,
  kLimitCpu,
  kRightsChange,  // flags of core/rights.h
  kUid,
  kGid,
  kCapabilities,
  kParams,  // and behind them the groups
};

constexpr uint32_t kParamKeepLeftovers = 1;
constexpr uint32_t kParamCollect = 2;
constexpr uint32_t kParamCgroup = 4;

// The failed steps that JavaScript knows by these numbers.
constexpr double kStepHelper = 1;
constexpr double kStepSupervisor = 2;
constexpr double kStepPipe = 3;
constexpr double kStepMemory = 7;

// `strings`: NUL-ended: file, cwd, the paths of stdin, stdout and stderr, spill path, arguments, environment.
// Gives the handle, or -errno with the failed step in the numbers. The caller holds the reactor's lock.
int64_t spawn_command(Reactor* r, Span<double> params, Span<const char> strings);

// The keeper has ended before it was ready: true where another one has the request now. Once for each
// command.
bool start_again(Reactor* r, Command* c);
// The keeper has read it, or more has been asked of it than that.
void drop_request(Command* c);

}  // namespace procleash
