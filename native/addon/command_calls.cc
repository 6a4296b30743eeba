// What JavaScript asks of its commands: to be started, stopped, signalled, listed; what their keepers say;
// and that it needs one no more.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addon/call.h"
#include "addon/lease.h"
#include "addon/spawn_command.h"

namespace procleash {
namespace {

napi_value spawn(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Span<double> params = typed_array<double>(env, a.values[0], napi_float64_array);
  if (a.reactor == nullptr || params.size < kParams) return throw_misuse(env, "spawn(Float64Array, string)");
  size_t size = 0;
  char* strings = copy_string(env, a.values[1], &size);
  if (strings == nullptr) {
    params[kFailedStep] = static_cast<double>(CallStep::kMemory);
    return number(env, -ENOMEM);
  }
  int64_t result = 0;
  {
    Lock lock(a.reactor);
    result = spawn_command(a.reactor, params, Span<const char>{strings, size});
  }
  free(strings);
  return number(env, static_cast<double>(result));
}

template <typename T>
Span<const char> bytes_of(const T& value) {
  return Span<const char>{reinterpret_cast<const char*>(&value), sizeof(value)};
}

napi_value stop(napi_env env, napi_callback_info info) {
  const Nanos requested = now();
  Arguments a(env, info);
  const Nanos budget = milliseconds(env, a.values[1]);
  const int64_t reason = integer(env, a.values[2]);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  if (c == nullptr) return boolean(env, false);
  StopPayload payload = {};
  payload.requested = requested;
  payload.budget = budget;
  payload.reason = static_cast<uint8_t>(reason);
  bool sent = send_to_keeper(a.reactor, c, Frame::kStop, bytes_of(payload), Span<const int>{});
  // From now on a full pipe must not keep anyone from acting on the signal.
  c->stopping = c->stopping || sent;
  if (sent && (c->output[0].readable || c->output[1].readable)) wake_for_streams(a.reactor);
  return boolean(env, sent);
}

napi_value signal(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  const auto number = static_cast<int32_t>(integer(env, a.values[1]));
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  return boolean(env, c != nullptr && c->phase != Phase::kSettled &&
                          send_to_keeper(a.reactor, c, Frame::kSignal, bytes_of(number), Span<const int>{}));
}

napi_value inspect(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  const auto request = static_cast<uint32_t>(integer(env, a.values[1]));
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  return boolean(env, c != nullptr && send_to_keeper(a.reactor, c, Frame::kInspect, bytes_of(request),
                                                     Span<const int>{}));
}

// For a keeper that lives and does not answer.
napi_value give_up(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  // A lost one is looked for already, in a job of foreign_jobs.cc too.
  const bool settling =
      c == nullptr || c->phase == Phase::kSettled || c->phase == Phase::kLost || c->phase == Phase::kForeign;
  if (settling) return nullptr;
  lose_keeper(a.reactor, c);
  wake_thread(a.reactor);
  return nullptr;
}

napi_value message(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  PendingMessage* oldest = nullptr;
  {
    Lock lock(a.reactor);
    Command* c = command_of(env, a);
    if (c != nullptr) oldest = take_message(c);
  }
  if (oldest == nullptr) return nullptr;
  void* data = nullptr;
  napi_value buffer = array_buffer(env, oldest->size, &data);
  if (buffer != nullptr && oldest->size > 0) memcpy(data, oldest->data, oldest->size);
  free(oldest);
  return buffer;
}

napi_value forget(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  if (c == nullptr) return nullptr;
  c->forgotten = true;
  if (c->closed && !c->timed) free_command(a.reactor, c);
  return nullptr;
}

constexpr Call kCalls[] = {
    {"spawn", opened<spawn>},     {"stop", opened<stop>},      {"signal", opened<signal>},
    {"inspect", opened<inspect>}, {"giveUp", opened<give_up>}, {"message", opened<message>},
    {"forget", opened<forget>},
};

}  // namespace

Span<const Call> command_calls() { return table_of(kCalls); }

}  // namespace procleash
