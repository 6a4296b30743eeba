// Subreaper mode, from JavaScript.
#include "addon/call.h"
#include "addon/orphans.h"

namespace procleash {
namespace {

napi_value start_subreaper(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  double patience = 0;
  napi_get_value_double(env, a.values[0], &patience);
  // Infinity: never.
  const Nanos most = kNever / 2;
  const double nanos = patience * static_cast<double>(kMillisecond);
  Lock lock(a.reactor);
  const bool bounded = nanos < static_cast<double>(most);
  return number(env,
                static_cast<double>(enable_orphans(a.reactor, bounded ? static_cast<Nanos>(nanos) : most)));
}

napi_value stop_subreaper(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  disable_orphans(a.reactor);
  return nullptr;
}

napi_value reap_unclaimed_children(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  reap_unclaimed(a.reactor);
  return nullptr;
}

napi_value orphans(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  const Span<double> out = typed_array<double>(env, a.values[0], napi_float64_array);
  Lock lock(a.reactor);
  return number(env, static_cast<double>(describe_orphans(a.reactor, out)));
}

constexpr Call kCalls[] = {
    {"enableSubreaper", opened<start_subreaper>},
    {"disableSubreaper", opened<stop_subreaper>},
    {"reapUnclaimed", opened<reap_unclaimed_children>},
    {"orphans", opened<orphans>},
};

}  // namespace

Span<const Call> subreaper_calls() { return table_of(kCalls); }

}  // namespace procleash
