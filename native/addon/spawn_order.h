// A command as JavaScript orders it: numbers, each in its place, and strings one after the other.
#pragma once

#include "core/base.h"

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

struct SpawnOrder {
  Span<double> params;
  const char* file = nullptr;
  const char* cwd = nullptr;
  const char* path[3] = {};  // of stdin, stdout and stderr
  const char* spill = nullptr;
  Span<const char> rest;  // arguments, then environment

  bool has(uint32_t flag) const { return (static_cast<uint32_t>(params[kFlags]) & flag) != 0; }
};

// `strings`: NUL-ended, in the order of the fields. False where numbers or strings are missing.
bool read_order(Span<double> params, Span<const char> strings, SpawnOrder* out);

// The first of NUL-ended strings, taken off them; null where there is none.
const char* next_string(Span<const char>* left);

}  // namespace procleash
