// What this machine offers, as JavaScript is told: lists of numbers whose places bindings/native.ts names.
#pragma once

#include <node_api.h>

namespace procleash {

napi_value probe(napi_env env, napi_callback_info info);

// [path, lack, errno, controllers] of the place where the cgroup of a tree would be made: the first that can
// be used, or else the best and why it can't. Needs an open reactor.
napi_value probe_cgroup(napi_env env, napi_callback_info info);

}  // namespace procleash
