// The addon as JavaScript loads it: all calls by name. Bare Node-API: node-addon-api brings libstdc++, which
// would tie the addon to one C library (feasibility, Q7); and with exceptions off it aborts at exit under a
// flood of events (Q1).
#include "addon/call.h"

NAPI_MODULE_INIT() {
  const procleash::Span<const procleash::Call> tables[] = {
      procleash::reactor_calls(), procleash::command_calls(),   procleash::stream_calls(),
      procleash::foreign_calls(), procleash::subreaper_calls(), procleash::probe_calls(),
  };
  for (const procleash::Span<const procleash::Call>& table : tables) {
    for (const procleash::Call& call : table) {
      napi_value function = nullptr;
      napi_create_function(env, call.name, NAPI_AUTO_LENGTH, call.function, nullptr, &function);
      napi_set_named_property(env, exports, call.name, function);
    }
  }
  napi_value version = nullptr;
  napi_create_string_utf8(env, PROCLEASH_VERSION, NAPI_AUTO_LENGTH, &version);
  napi_set_named_property(env, exports, "version", version);
  return exports;
}
