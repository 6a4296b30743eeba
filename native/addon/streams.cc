// The pipes of a command, on the host's side. Output is read when the pipe has it and JavaScript has room for
// it (credit), or by a collector without JavaScript; input is written as far as the pipe takes it.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "addon/reactor.h"

namespace procleash {
namespace {

// A pipe that fills its 64 kB is a flood: a larger one takes fewer wake-ups for the same bytes. The kernel
// refuses it to a user who has many; that costs speed only.
constexpr int kFloodPipe = 1 << 20;
constexpr ssize_t kFlood = 64 << 10;
// So that one flood does not keep the thread from its other commands.
constexpr int kMaxReads = 16;

ssize_t read_some(int fd, char* data, size_t size) {
  for (;;) {
    ssize_t n = read(fd, data, size);
    if (n >= 0) return n;
    if (errno != EINTR) return -errno;
  }
}

// What all three ways of reading have in common: the end, an empty pipe, bytes.
bool took_bytes(Reactor* r, Command* c, int index, ssize_t n) {
  OutputStream* stream = &c->output[index];
  if (n > 0) {
    note_activity(c);
    if (n == kFlood) fcntl(stream->fd, F_SETPIPE_SZ, kFloodPipe);
    return true;
  }
  if (n == -EAGAIN) {
    stream->readable = false;
    // Once the tree has ended, all that was written is there: an empty pipe that somebody else still holds
    // has ended.
    if (c->phase == Phase::kSettled) end_output(r, c, index, 0);
    return false;
  }
  end_output(r, c, index, n == 0 ? 0 : static_cast<int>(-n));
  return false;
}

void write_spill(Command* c, Span<const char> bytes) {
  while (bytes.size > 0 && c->spill_error == 0) {
    ssize_t n = write(c->spill, bytes.data, bytes.size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      c->spill_error = errno;
      return;
    }
    bytes = Span<const char>{bytes.data + n, bytes.size - static_cast<size_t>(n)};
  }
}

bool read_to_collector(Reactor* r, Command* c, int index) {
  OutputStream* stream = &c->output[index];
  const ssize_t n = read_some(stream->fd, r->scratch, kScratch);
  if (!took_bytes(r, c, index, n)) return false;
  Span<const char> bytes{r->scratch, static_cast<size_t>(n)};
  collect(stream->collector, bytes);
  if (c->spill >= 0) write_spill(c, bytes);
  return true;
}

// A blocked writer could not act on its signal: what nobody has room for is dropped while a stop runs.
bool read_to_nowhere(Reactor* r, Command* c, int index) {
  return took_bytes(r, c, index, read_some(c->output[index].fd, r->scratch, kScratch));
}

bool read_to_slot(Reactor* r, Command* c, int index) {
  OutputStream* stream = &c->output[index];
  if (r->free_slots == 0) return false;  // JavaScript gives one back and wakes us
  // The lowest first: slots that a quiet host never reaches are never resident.
  const int slot = __builtin_ctzll(r->free_slots);
  size_t room = r->slot_size;
  // After the end the rest is bounded by the pipe and is handed over whatever the credit.
  if (c->phase != Phase::kSettled) room = static_cast<size_t>(min<uint64_t>(room, stream->credit));
  const int fd = stream->fd;
  const uint32_t handle = c->handle;
  r->free_slots &= ~(1ULL << slot);
  // The slot is ours alone, so that the copy needs no lock. Only this thread closes descriptors and frees
  // commands.
  pthread_mutex_unlock(&r->lock);
  const ssize_t n = read_some(fd, r->slab + static_cast<size_t>(slot) * r->slot_size, room);
  pthread_mutex_lock(&r->lock);
  if (!took_bytes(r, c, index, n)) {
    r->free_slots |= 1ULL << slot;
    return false;
  }
  stream->credit -= min<uint64_t>(stream->credit, static_cast<uint64_t>(n));
  push_record(r, Record::kData, handle, (index + 1) | (slot << 8), static_cast<int32_t>(n));
  return true;
}

bool read_once(Reactor* r, Command* c, int index) {
  OutputStream* stream = &c->output[index];
  if (stream->collector != nullptr) return read_to_collector(r, c, index);
  if (stream->credit > 0 || c->phase == Phase::kSettled) return read_to_slot(r, c, index);
  return c->stopping && read_to_nowhere(r, c, index);
}

}  // namespace

void end_output(Reactor* r, Command* c, int index, int error) {
  OutputStream* stream = &c->output[index];
  if (stream->ended) return;
  stream->ended = true;
  stream->readable = false;
  stream->cancelled = false;
  close(stream->fd);  // leaves the epoll set with it
  stream->fd = -1;
  push_record(r, Record::kEnd, c->handle, index + 1, error);
  if (c->spill >= 0 && outputs_ended(*c)) {
    close(c->spill);
    c->spill = -1;
  }
  check_drained(r, c);
}

void read_output(Reactor* r, Command* c, int index) {
  for (int i = 0; i < kMaxReads && c->output[index].readable; i++) {
    if (!read_once(r, c, index)) return;
  }
  // More is there; the other commands first.
  if (c->output[index].readable) wake_for_streams(r);
}

bool outputs_ended(const Command& c) { return c.output[0].ended && c.output[1].ended; }

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

void free_input(InputStream* input) {
  while (input->first != nullptr) {
    InputChunk* next = input->first->next;
    free(input->first);
    input->first = next;
  }
  input->last = nullptr;
}

void flush_input(Reactor* r, Command* c) {
  InputStream* input = &c->input;
  if (input->ended) return;
  const bool had_some = input->first != nullptr;
  while (input->first != nullptr) {
    InputChunk* chunk = input->first;
    ssize_t n = write(input->fd, chunk->data + chunk->written, chunk->size - chunk->written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) {
      end_input(r, c, errno);
      return;
    }
    chunk->written += static_cast<size_t>(n);
    if (chunk->written < chunk->size) continue;
    input->first = chunk->next;
    if (input->first == nullptr) input->last = nullptr;
    free(chunk);
  }
  if (had_some) push_record(r, Record::kWritten, c->handle, 0, 0);
  if (input->close_when_written) end_input(r, c, 0);
}

void end_input(Reactor* r, Command* c, int error) {
  InputStream* input = &c->input;
  if (input->ended) return;
  input->ended = true;
  free_input(input);
  close(input->fd);
  input->fd = -1;
  push_record(r, Record::kEnd, c->handle, 0, error);
}

// The tree has ended: what is in the pipes is all that will ever be.
void finish_streams(Reactor* r, Command* c) {
  end_input(r, c, 0);
  for (int index = 0; index < 2; index++) {
    if (c->output[index].ended) continue;
    c->output[index].readable = true;
    read_output(r, c, index);
  }
}

}  // namespace procleash
