// A call from JavaScript: its arguments and the reactor of its environment. What can be called stands in
// tables, one for each file of calls; module.cc exports them all.
#pragma once

#include "addon/napi_values.h"
#include "addon/reactor.h"

namespace procleash {

constexpr size_t kMaxArguments = 5;

struct Arguments {
  napi_value values[kMaxArguments] = {};
  size_t count = kMaxArguments;
  Reactor* reactor = nullptr;

  Arguments(napi_env env, napi_callback_info info);
};

// The command whose handle is the first argument, or null. The caller holds the lock.
Command* command_of(napi_env env, const Arguments& a);

struct Call {
  const char* name;
  napi_callback function;
};

// A function that needs the reactor refuses to run before open().
template <napi_callback Function>
napi_value opened(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  if (data == nullptr) return throw_misuse(env, "open() comes first");
  return Function(env, info);
}

template <size_t Count>
constexpr Span<const Call> table_of(const Call (&calls)[Count]) {
  return Span<const Call>{calls, Count};
}

Span<const Call> reactor_calls();
Span<const Call> command_calls();
Span<const Call> stream_calls();
Span<const Call> foreign_calls();
Span<const Call> subreaper_calls();
Span<const Call> probe_calls();

}  // namespace procleash
