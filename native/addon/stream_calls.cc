// The streams of a command, from JavaScript: bytes for its input, room for its output, the slots that bytes
// lie in, and what a collector has kept.
#include <errno.h>

#include "addon/call.h"
#include "addon/descriptors.h"

namespace procleash {
namespace {

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
    wake_for_streams(a.reactor);
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
  wake_for_streams(a.reactor);
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
  if (waiting) wake_for_streams(a.reactor);
  return nullptr;
}

napi_value cancel(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  Lock lock(a.reactor);
  OutputStream* stream = stream_of(env, a, command_of(env, a));
  if (stream == nullptr || stream->ended) return nullptr;
  stream->cancelled = true;
  wake_for_streams(a.reactor);
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
  if (starved) wake_for_streams(r);
  return nullptr;
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

constexpr Call kCalls[] = {
    {"write", opened<write>},
    {"closeStdin", opened<close_stdin>},
    {"grant", opened<grant>},
    {"cancel", opened<cancel>},
    {"release", opened<release>},
    {"collected", opened<collected>},
    {"collectedTotal", opened<collected_total>},
    {"spillError", opened<spill_error>},
};

}  // namespace

Span<const Call> stream_calls() { return table_of(kCalls); }

}  // namespace procleash
