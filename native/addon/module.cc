// The functions that JavaScript sees. Bare Node-API: node-addon-api brings libstdc++, which would tie the
// addon to one C library (feasibility, Q7); and with exceptions off it aborts at exit under a flood of events
// (Q1).
#include <errno.h>
#include <node_api.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "addon/collector.h"
#include "addon/descriptors.h"
#include "addon/foreign_jobs.h"
#include "addon/orphans.h"
#include "addon/probe.h"
#include "addon/reactor.h"
#include "addon/spawn_command.h"
#include "addon/watch_tree.h"

namespace procleash {
namespace {

constexpr size_t kMaxArguments = 5;

class Lock {
 public:
  explicit Lock(Reactor* r) : r_(r) { pthread_mutex_lock(&r_->lock); }
  ~Lock() { pthread_mutex_unlock(&r_->lock); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Reactor* r_;
};

struct Arguments {
  napi_value values[kMaxArguments] = {};
  size_t count = kMaxArguments;
  Reactor* reactor = nullptr;

  Arguments(napi_env env, napi_callback_info info) {
    napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
    void* data = nullptr;
    napi_get_instance_data(env, &data);
    reactor = static_cast<Reactor*>(data);
  }
};

int64_t integer(napi_env env, napi_value value) {
  int64_t number = 0;
  napi_get_value_int64(env, value, &number);
  return number;
}

napi_value number(napi_env env, double value) {
  napi_value result = nullptr;
  napi_create_double(env, value, &result);
  return result;
}

napi_value boolean(napi_env env, bool value) {
  napi_value result = nullptr;
  napi_get_boolean(env, value, &result);
  return result;
}

// The elements of a typed array of that kind; empty where it is none.
template <typename T>
Span<T> typed_array(napi_env env, napi_value value, napi_typedarray_type wanted) {
  napi_typedarray_type type = napi_int8_array;
  size_t size = 0;
  void* data = nullptr;
  if (napi_get_typedarray_info(env, value, &type, &size, &data, nullptr, nullptr) != napi_ok ||
      type != wanted) {
    return Span<T>{};
  }
  return Span<T>{static_cast<T*>(data), size};
}

napi_value throw_misuse(napi_env env, const char* what) {
  napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", what);
  return nullptr;
}

// The string's UTF-8 with its NUL; the caller frees. Null without memory.
char* copy_string(napi_env env, napi_value value, size_t* size) {
  // Most requests fit: one call instead of two.
  size_t room = 16384;
  for (;;) {
    auto* copy = static_cast<char*>(malloc(room));
    if (copy == nullptr) return nullptr;
    if (napi_get_value_string_utf8(env, value, copy, room, size) != napi_ok) *size = 0;
    // A character may take four bytes: only with more room than that left was nothing cut.
    if (*size + 5 <= room) return copy;
    free(copy);
    napi_get_value_string_utf8(env, value, nullptr, 0, size);
    room = *size + 8;
  }
}

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

napi_value open(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  if (a.reactor != nullptr) return number(env, -EALREADY);
  auto* r = static_cast<Reactor*>(calloc(1, sizeof(Reactor)));
  if (r == nullptr) return number(env, -ENOMEM);
  pthread_mutex_init(&r->lock, nullptr);
  void* slab = nullptr;
  size_t slab_size = 0;
  if (napi_get_arraybuffer_info(env, a.values[0], &slab, &slab_size) != napi_ok) {
    free_reactor_memory(r);
    free(r);
    return throw_misuse(env, "slab must be an ArrayBuffer");
  }
  r->env = env;
  r->slab = static_cast<char*>(slab);
  r->slot_size = static_cast<size_t>(max<int64_t>(integer(env, a.values[1]), 1));
  r->slot_count = min(slab_size / r->slot_size, kMaxSlots);
  r->free_slots = r->slot_count == kMaxSlots ? ~0ULL : (1ULL << r->slot_count) - 1;
  r->scratch = static_cast<char*>(malloc(256U << 10));
  size_t ignored = 0;
  r->helper = copy_string(env, a.values[3], &ignored);
  napi_get_value_bool(env, a.values[4], &r->helper_or_memory);
  const char* disabled = getenv("PROCLEASH_DISABLE");
  r->disabled = strdup(disabled != nullptr ? disabled : "");
  if (r->scratch == nullptr || r->helper == nullptr || r->disabled == nullptr) {
    free_reactor_memory(r);
    free(r);
    return number(env, -ENOMEM);
  }
  napi_create_reference(env, a.values[0], 1, &r->slab_reference);
  int error = open_environment(env, r, a.values[2]);
  if (error != 0) return number(env, -error);
  napi_set_instance_data(env, r, nullptr, nullptr);
  return number(env, 0);
}

napi_value spawn(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Span<double> params = typed_array<double>(env, a.values[0], napi_float64_array);
  if (a.reactor == nullptr || params.size < kParams) return throw_misuse(env, "spawn(Float64Array, string)");
  size_t size = 0;
  char* strings = copy_string(env, a.values[1], &size);
  if (strings == nullptr) {
    params[kFailedStep] = kStepMemory;
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

// The command of the first argument, or null.
Command* command_of(napi_env env, const Arguments& a) {
  return find_command(a.reactor, static_cast<uint32_t>(integer(env, a.values[0])));
}

template <typename T>
Span<const char> bytes_of(const T& value) {
  return Span<const char>{reinterpret_cast<const char*>(&value), sizeof(value)};
}

napi_value stop(napi_env env, napi_callback_info info) {
  const Nanos requested = now();
  Arguments a(env, info);
  double budget = 0;
  napi_get_value_double(env, a.values[1], &budget);
  const int64_t reason = integer(env, a.values[2]);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  if (c == nullptr) return boolean(env, false);
  StopPayload payload = {};
  payload.requested = requested;
  payload.budget = static_cast<Nanos>(budget * static_cast<double>(kMillisecond));
  payload.reason = static_cast<uint8_t>(reason);
  bool sent = send_to_keeper(a.reactor, c, Frame::kStop, bytes_of(payload), Span<const int>{});
  // From now on a full pipe must not keep anyone from acting on the signal.
  c->stopping = c->stopping || sent;
  if (sent && (c->output[0].readable || c->output[1].readable)) {
    a.reactor->look_at_streams = true;
    wake_thread(a.reactor);
  }
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

napi_value stop_tree(napi_env env, napi_callback_info info) {
  StopOrder order;
  order.requested = now();
  Arguments a(env, info);
  double budget = 0;
  order.pid = integer(env, a.values[0]);
  order.start = integer(env, a.values[1]);
  napi_get_value_double(env, a.values[2], &budget);
  order.budget = static_cast<Nanos>(budget * static_cast<double>(kMillisecond));
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
  order.budget = static_cast<Nanos>(params[2] * static_cast<double>(kMillisecond));
  order.stop_signal = static_cast<int>(params[3]);
  order.flags = static_cast<uint32_t>(params[4]);
  Lock lock(a.reactor);
  WatchFailure failed;
  const int64_t result = watch_tree(a.reactor, order, &failed);
  params[5] = failed.step;
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

bool queue_input(InputStream* input, Span<const uint8_t> bytes) {
  auto* chunk = static_cast<InputChunk*>(malloc(sizeof(InputChunk) + bytes.size));
  if (chunk == nullptr) return false;
  chunk->next = nullptr;
  chunk->size = bytes.size;
  chunk->written = 0;
  memcpy(chunk->data, bytes.data, bytes.size);
  if (input->last != nullptr) {
    input->last->next = chunk;
  } else {
    input->first = chunk;
  }
  input->last = chunk;
  return true;
}

napi_value write(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Span<uint8_t> bytes = typed_array<uint8_t>(env, a.values[1], napi_uint8_array);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  if (c == nullptr || c->input.ended || c->input.close_when_written) return number(env, -EPIPE);
  size_t written = 0;
  if (c->input.first == nullptr && bytes.size > 0) {
    ssize_t n = write_quietly(c->input.fd, reinterpret_cast<const char*>(bytes.data), bytes.size);
    if (n < 0 && n != -EAGAIN) return number(env, static_cast<double>(n));
    written = n > 0 ? static_cast<size_t>(n) : 0;
  }
  const size_t left = bytes.size - written;
  if (left > 0) {
    if (!queue_input(&c->input, Span<const uint8_t>{bytes.data + written, left})) return number(env, -ENOMEM);
    // The pipe may have been emptied between our write and the queueing: the edge would be missed.
    a.reactor->look_at_streams = true;
    wake_thread(a.reactor);
  }
  return number(env, static_cast<double>(left));
}

napi_value close_stdin(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  if (c == nullptr || c->input.ended) return nullptr;
  c->input.close_when_written = true;
  // Only the reactor's thread closes descriptors.
  a.reactor->look_at_streams = true;
  wake_thread(a.reactor);
  return nullptr;
}

// The stream of the second argument (1 or 2), or null.
OutputStream* stream_of(napi_env env, const Arguments& a, Command* c) {
  const int64_t index = integer(env, a.values[1]) - 1;
  return c != nullptr && index >= 0 && index < 2 ? &c->output[index] : nullptr;
}

napi_value grant(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  const int64_t bytes = integer(env, a.values[2]);
  Lock lock(a.reactor);
  OutputStream* stream = stream_of(env, a, command_of(env, a));
  if (stream == nullptr || stream->ended || bytes <= 0) return nullptr;
  const bool waiting = stream->credit == 0 && stream->readable;
  stream->credit += static_cast<uint64_t>(bytes);
  if (waiting) {
    a.reactor->look_at_streams = true;
    wake_thread(a.reactor);
  }
  return nullptr;
}

napi_value cancel(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  OutputStream* stream = stream_of(env, a, command_of(env, a));
  if (stream == nullptr || stream->ended) return nullptr;
  stream->cancelled = true;
  a.reactor->look_at_streams = true;
  wake_thread(a.reactor);
  return nullptr;
}

napi_value release(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  const int64_t slot = integer(env, a.values[0]);
  Lock lock(a.reactor);
  Reactor* r = a.reactor;
  if (slot < 0 || static_cast<size_t>(slot) >= r->slot_count) return nullptr;
  const bool starved = r->free_slots == 0;
  r->free_slots |= 1ULL << slot;
  if (starved) {
    r->look_at_streams = true;
    wake_thread(r);
  }
  return nullptr;
}

napi_value drain(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Span<int32_t> out = typed_array<int32_t>(env, a.values[0], napi_int32_array);
  Lock lock(a.reactor);
  Reactor* r = a.reactor;
  const size_t count = min(out.size / kRecordInts, r->records_count);
  for (size_t i = 0; i < count; i++) {
    memcpy(out.data + i * kRecordInts, r->records + r->records_first * kRecordInts,
           kRecordInts * sizeof(int32_t));
    r->records_first = (r->records_first + 1) % r->records_room;
  }
  r->records_count -= count;
  return number(env, static_cast<double>(count));
}

napi_value array_buffer(napi_env env, size_t size, void** data) {
  napi_value buffer = nullptr;
  if (napi_create_arraybuffer(env, size, data, &buffer) != napi_ok) return nullptr;
  return buffer;
}

napi_value message(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  PendingMessage* oldest = nullptr;
  {
    Lock lock(a.reactor);
    Command* c = command_of(env, a);
    if (c == nullptr || c->first_message == nullptr) return nullptr;
    oldest = c->first_message;
    c->first_message = oldest->next;
    if (c->first_message == nullptr) c->last_message = nullptr;
  }
  void* data = nullptr;
  napi_value buffer = array_buffer(env, oldest->size, &data);
  if (buffer != nullptr && oldest->size > 0) memcpy(data, oldest->data, oldest->size);
  free(oldest);
  return buffer;
}

napi_value collected(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  OutputStream* stream = stream_of(env, a, command_of(env, a));
  const size_t size = stream != nullptr && stream->collector != nullptr ? kept_size(*stream->collector) : 0;
  void* data = nullptr;
  napi_value buffer = array_buffer(env, size, &data);
  if (buffer != nullptr && size > 0) copy_kept(*stream->collector, static_cast<char*>(data));
  return buffer;
}

napi_value collected_total(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  OutputStream* stream = stream_of(env, a, command_of(env, a));
  const uint64_t total = stream != nullptr && stream->collector != nullptr ? stream->collector->total : 0;
  return number(env, static_cast<double>(total));
}

napi_value spill_error(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  return number(env, c != nullptr ? c->spill_error : 0);
}

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

napi_value forget(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  Command* c = command_of(env, a);
  if (c == nullptr) return nullptr;
  c->forgotten = true;
  if (c->closed && !c->timed) free_command(a.reactor, c);
  return nullptr;
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

// A function that needs the reactor refuses to run before open().
template <napi_callback Function>
napi_value opened(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  if (data == nullptr) return throw_misuse(env, "open() comes first");
  return Function(env, info);
}

struct Export {
  const char* name;
  napi_callback function;
};

constexpr Export kExports[] = {
    {"open", open},
    {"spawn", opened<spawn>},
    {"stop", opened<stop>},
    {"signal", opened<signal>},
    {"inspect", opened<inspect>},
    {"giveUp", opened<give_up>},
    {"stopTree", opened<stop_tree>},
    {"inspectTree", opened<inspect_tree>},
    {"watchTree", opened<watch_process>},
    {"releaseWatch", opened<release_watched>},
    {"enableSubreaper", opened<start_subreaper>},
    {"disableSubreaper", opened<stop_subreaper>},
    {"reapUnclaimed", opened<reap_unclaimed_children>},
    {"orphans", opened<orphans>},
    {"write", opened<write>},
    {"closeStdin", opened<close_stdin>},
    {"grant", opened<grant>},
    {"cancel", opened<cancel>},
    {"release", opened<release>},
    {"drain", opened<drain>},
    {"message", opened<message>},
    {"collected", opened<collected>},
    {"collectedTotal", opened<collected_total>},
    {"spillError", opened<spill_error>},
    {"forget", opened<forget>},
    {"ref", opened<ref>},
    {"unref", opened<unref>},
    {"probe", probe},
    {"probeCgroup", opened<probe_cgroup>},
};

}  // namespace
}  // namespace procleash

NAPI_MODULE_INIT() {
  for (const procleash::Export& item : procleash::kExports) {
    napi_value function = nullptr;
    napi_create_function(env, item.name, NAPI_AUTO_LENGTH, item.function, nullptr, &function);
    napi_set_named_property(env, exports, item.name, function);
  }
  napi_value version = nullptr;
  napi_create_string_utf8(env, PROCLEASH_VERSION, NAPI_AUTO_LENGTH, &version);
  napi_set_named_property(env, exports, "version", version);
  return exports;
}
