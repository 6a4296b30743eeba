// The reactor of a JavaScript environment: opened once, wakes JavaScript, hands over its records, and ends
// with the environment.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addon/call.h"

namespace procleash {
namespace {

void call_javascript(napi_env env, napi_value, void* context, void*) {
  if (env == nullptr) return;  // the environment is on its way out
  auto* r = static_cast<Reactor*>(context);
  {
    Lock lock(r);
    r->notified = false;
  }
  napi_value callback = nullptr;
  napi_value receiver = nullptr;
  if (napi_get_reference_value(env, r->wake_callback, &callback) != napi_ok) return;
  napi_get_undefined(env, &receiver);
  if (napi_call_function(env, receiver, callback, 0, nullptr, nullptr) != napi_pending_exception) return;
  napi_value error = nullptr;
  if (napi_get_and_clear_last_exception(env, &error) == napi_ok) napi_fatal_exception(env, error);
}

// The one hook that all runtimes run when a worker ends (feasibility, Q1). A process that exits runs none:
// there the kernel closes the leases.
void end_environment(void* data) {
  auto* r = static_cast<Reactor*>(data);
  stop_reactor(r);
  free_reactor_memory(r);
  napi_release_threadsafe_function(r->notify, napi_tsfn_abort);
}

// The very last call about this environment.
void finalize(napi_env, void*, void* context) {
  auto* r = static_cast<Reactor*>(context);
  if (!r->running) free(r);
}

int open_environment(napi_env env, Reactor* r, napi_value callback) {
  napi_value name = nullptr;
  napi_create_string_utf8(env, "procleash", NAPI_AUTO_LENGTH, &name);
  if (napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, finalize, r,
                                      call_javascript, &r->notify) != napi_ok) {
    return EINVAL;
  }
  napi_unref_threadsafe_function(env, r->notify);
  napi_create_reference(env, callback, 1, &r->wake_callback);
  napi_add_env_cleanup_hook(env, end_environment, r);
  return start_reactor(r);
}

// Null without memory.
Reactor* make_reactor(napi_env env, const Arguments& a, Span<char> slab) {
  auto* r = static_cast<Reactor*>(calloc(1, sizeof(Reactor)));
  if (r == nullptr) return nullptr;
  pthread_mutex_init(&r->lock, nullptr);
  r->env = env;
  r->slab = slab.data;
  r->slot_size = static_cast<size_t>(max<int64_t>(integer(env, a.values[1]), 1));
  r->slot_count = min(slab.size / r->slot_size, kMaxSlots);
  r->free_slots = r->slot_count == kMaxSlots ? ~0ULL : (1ULL << r->slot_count) - 1;
  r->scratch = static_cast<char*>(malloc(kScratch));
  size_t ignored = 0;
  r->helper = copy_string(env, a.values[3], &ignored);
  napi_get_value_bool(env, a.values[4], &r->helper_or_memory);
  const char* disabled = getenv("PROCLEASH_DISABLE");
  r->disabled = strdup(disabled != nullptr ? disabled : "");
  if (r->scratch != nullptr && r->helper != nullptr && r->disabled != nullptr) return r;
  free_reactor_memory(r);
  free(r);
  return nullptr;
}

napi_value open(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  if (a.reactor != nullptr) return number(env, -EALREADY);
  void* slab = nullptr;
  size_t slab_size = 0;
  if (napi_get_arraybuffer_info(env, a.values[0], &slab, &slab_size) != napi_ok)
    return throw_misuse(env, "slab must be an ArrayBuffer");
  Reactor* r = make_reactor(env, a, Span<char>{static_cast<char*>(slab), slab_size});
  if (r == nullptr) return number(env, -ENOMEM);
  napi_create_reference(env, a.values[0], 1, &r->slab_reference);
  int error = open_environment(env, r, a.values[2]);
  if (error != 0) return number(env, -error);
  napi_set_instance_data(env, r, nullptr, nullptr);
  return number(env, 0);
}

napi_value drain(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  const Span<int32_t> out = typed_array<int32_t>(env, a.values[0], napi_int32_array);
  Lock lock(a.reactor);
  return number(env, static_cast<double>(take_records(a.reactor, out)));
}

napi_value ref(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  napi_ref_threadsafe_function(env, a.reactor->notify);
  return nullptr;
}

napi_value unref(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  napi_unref_threadsafe_function(env, a.reactor->notify);
  return nullptr;
}

constexpr Call kCalls[] = {
    {"open", open},
    {"drain", opened<drain>},
    {"ref", opened<ref>},
    {"unref", opened<unref>},
};

}  // namespace

Span<const Call> reactor_calls() { return table_of(kCalls); }

}  // namespace procleash
