#include "addon/command_stdio.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "addon/descriptors.h"

namespace procleash {
namespace {

constexpr double kModeIgnore = -1;
constexpr double kModePipe = -2;
constexpr double kModePath = -3;
constexpr double kModeAppend = -4;
constexpr double kModeLog = -5;  // append, never through a link that somebody else has put there

CallFailure make_stream(int index, const SpawnOrder& order, CommandStdio* made) {
  const double mode = order.params[kStdin + static_cast<size_t>(index)];
  const char* path = order.path[index];
  if (mode == kModeIgnore) return {};
  if (mode == kModePipe) {
    FdPair pair;
    int error = make_pipe(index == 0 ? PipeUse::kWeWrite : PipeUse::kWeRead, &pair);
    if (error != 0) return {error, CallStep::kPipe};
    made->ours[index] = move(pair.ours);
    made->theirs[index] = move(pair.theirs);
    return {};
  }
  if (mode == kModeLog) {
    int error = open_private(path, OpenFor::kAppend, &made->theirs[index]);
    if (error != 0) return {error, CallStep::kPath, index};
    return {};
  }
  if (mode == kModePath || mode == kModeAppend) {
    const OpenFor output = mode == kModeAppend ? OpenFor::kAppend : OpenFor::kTruncate;
    int error = open_path(path, index == 0 ? OpenFor::kRead : output, &made->theirs[index]);
    if (error != 0) return {error, CallStep::kPath, index};
    return {};
  }
  int error = duplicate(static_cast<int>(mode), &made->theirs[index]);
  if (error != 0) return {error, CallStep::kDescriptor, index};
  return {};
}

}  // namespace

CallFailure make_stdio(const SpawnOrder& order, CommandStdio* made) {
  for (int index = 0; index < 3; index++) {
    const CallFailure failed = make_stream(index, order, made);
    if (failed.error != 0) return failed;
  }
  // A working directory that was deleted meanwhile still is one; where it can't be opened the command starts
  // in "/".
  open_directory(&made->directory);
  if (order.spill[0] == '\0') return {};
  const int error = open_private(order.spill, OpenFor::kTruncate, &made->spill);
  if (error != 0) return {error, CallStep::kSpill};
  // The reactor's thread writes it: a reader of a FIFO who takes his time would hold up every command.
  if (!never_waits(made->spill.get())) return {EINVAL, CallStep::kSpill};
  return {};
}

CallFailure keep_streams(Reactor* r, Command* c, const SpawnOrder& order, CommandStdio* made) {
  for (int index = 0; index < 2; index++) {
    UniqueFd* end = &made->ours[index + 1];
    if (!end->valid()) continue;
    OutputStream* stream = &c->output[index];
    if (order.has(kParamCollect)) {
      stream->collector = static_cast<Collector*>(calloc(1, sizeof(Collector)));
      if (stream->collector == nullptr) return {ENOMEM, CallStep::kMemory};
      stream->collector->limit = static_cast<uint64_t>(order.params[kMaxOutput]);
    }
    stream->ended = false;
    stream->fd = end->release();
    int error = watch(r, c, kWatchOut + static_cast<uint32_t>(index), stream->fd, EPOLLIN | EPOLLET);
    if (error != 0) return {error, CallStep::kPipe};
  }
  if (made->ours[0].valid()) {
    c->input.ended = false;
    c->input.fd = made->ours[0].release();
    int error = watch(r, c, kWatchIn, c->input.fd, EPOLLOUT | EPOLLET);
    if (error != 0) return {error, CallStep::kPipe};
  }
  c->spill = made->spill.release();
  return {};
}

}  // namespace procleash
