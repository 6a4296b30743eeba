// Trees that somebody else has started, from JavaScript: stopped, listed, watched.
#include <errno.h>

#include "addon/call.h"
#include "addon/foreign_jobs.h"
#include "addon/watch_tree.h"

namespace procleash {
namespace {

napi_value stop_tree(napi_env env, napi_callback_info info) {
  StopOrder order;
  order.requested = now();
  Arguments a(env, info);
  order.pid = integer(env, a.values[0]);
  order.start = integer(env, a.values[1]);
  order.budget = milliseconds(env, a.values[2]);
  order.signal = static_cast<int>(integer(env, a.values[3]));
  napi_get_value_bool(env, a.values[4], &order.group_mates);
  Lock lock(a.reactor);
  return number(env, static_cast<double>(queue_stop(a.reactor, order)));
}

napi_value watch_process(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  const Span<double> params = typed_array<double>(env, a.values[0], napi_float64_array);
  if (params.size < 7) return number(env, -EINVAL);
  WatchOrder order;
  order.pid = static_cast<int64_t>(params[0]);
  order.start = static_cast<int64_t>(params[1]);
  order.budget = nanos_of(params[2]);
  order.stop_signal = static_cast<int>(params[3]);
  order.flags = static_cast<uint32_t>(params[4]);
  Lock lock(a.reactor);
  CallFailure failed;
  const int64_t result = watch_tree(a.reactor, order, &failed);
  params[5] = static_cast<double>(failed.step);
  params[6] = failed.detail;
  return number(env, static_cast<double>(result));
}

napi_value release_watched(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  if (c != nullptr && c->watches) release_watch(a.reactor, c);
  return nullptr;
}

napi_value inspect_tree(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  return number(env, static_cast<double>(queue_inspection(a.reactor, integer(env, a.values[0]))));
}

constexpr Call kCalls[] = {
    {"stopTree", opened<stop_tree>},
    {"inspectTree", opened<inspect_tree>},
    {"watchTree", opened<watch_process>},
    {"releaseWatch", opened<release_watched>},
};

}  // namespace

Span<const Call> foreign_calls() { return table_of(kCalls); }

}  // namespace procleash
