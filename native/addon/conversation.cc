// What host and keeper say to each other about one command, and what follows from it on this side: the drain
// after the command's end, the end of the streams, the search after a keeper that ended without its last
// word.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "addon/reactor.h"
#include "addon/request_delivery.h"
#include "addon/supervisor_link.h"

namespace procleash {
namespace {

// After the command's end: as long as bytes come, at most so long between two, and so long in all.
constexpr Nanos kDrainIdle = 100 * kMillisecond;
constexpr Nanos kDrainMost = 2 * kSecond;

int change_watch(Reactor* r, Command* c, uint32_t events) {
  struct epoll_event event = {};
  event.events = events;
  event.data.u64 = (static_cast<uint64_t>(c->handle) << 2) | kWatchLease;
  return epoll_ctl(r->epoll, EPOLL_CTL_MOD, c->lease, &event);
}

bool queue_unsent(Reactor* r, Command* c, Frame type, Span<const char> payload, size_t sent) {
  const size_t whole = sizeof(FrameHeader) + payload.size;
  auto* grown = static_cast<char*>(realloc(c->unsent, c->unsent_size + whole - sent));
  if (grown == nullptr) return false;
  c->unsent = grown;
  c->unsent_size += copy_unsent(type, payload, sent, grown + c->unsent_size);
  // The lease of a command on its way is watched for it from the start.
  return type == Frame::kSpawn || change_watch(r, c, EPOLLIN | EPOLLOUT) == 0;
}

// A full socket takes the rest later, and so does a kernel without memory.
bool can_wait(ssize_t sent) { return sent == -EAGAIN || sent == -ENOMEM || sent == -ENOBUFS; }

// What the keeper of a running command never gets, it never does: at the end of its lease it stops the tree.
// One that has ended meanwhile may have said its last word, which is still to be read.
bool fail_to_send(Command* c, int error) {
  if (c->started) shutdown(c->lease, SHUT_WR);
  errno = error;
  return false;
}

void tell_drained(Reactor* r, Command* c) {
  c->phase = Phase::kDrained;
  c->idle_until = kNever;
  c->drain_until = kNever;
  send_to_keeper(r, c, Frame::kDrained, Span<const char>{}, Span<const int>{});
  push_record(r, Record::kDrained, c->handle, 0, 0);
}

// What the command itself left in its pipes is its output, however far JavaScript is behind: a stop of its
// leftovers must not drop it. A pipe bounds it.
void grant_last_output(Command* c) {
  for (OutputStream& stream : c->output) {
    const int capacity = stream.ended ? 0 : fcntl(stream.fd, F_GETPIPE_SZ);
    if (capacity > 0) stream.credit += static_cast<uint64_t>(capacity);
  }
}

void begin_drain(Reactor* r, Command* c) {
  grant_last_output(c);
  r->look_at_streams = true;
  if (c->stopping) return;  // the stop sees to the rest
  c->phase = Phase::kDraining;
  c->idle_until = now() + kDrainIdle;
  c->drain_until = now() + kDrainMost;
  set_timed(r, c);
  check_drained(r, c);
}

void take_ready(Reactor* r, Command* c, Span<const char> version) {
  constexpr size_t kSize = sizeof(PROCLEASH_VERSION) - 1;
  if (version.size == kSize && memcmp(version.data, PROCLEASH_VERSION, kSize) == 0) {
    prove_helper();
    return;
  }
  fail_command(r, c, EPROTONOSUPPORT, SpawnStep::kVersion, version);
}

void take_settled(Reactor* r, Command* c, Span<const char> payload) {
  const bool whole = payload.size >= kSettledHead &&
                     static_cast<uint8_t>(payload[0]) <= static_cast<uint8_t>(Outcome::kSurvivors);
  if (!whole) return lose_keeper(r, c);
  c->phase = Phase::kSettled;
  c->idle_until = kNever;
  c->drain_until = kNever;
  // With survivors the keeper lives on and reports their end later.
  if (payload[0] == static_cast<char>(Outcome::kEmpty)) close_lease(c);
  push_message(r, c, Frame::kSettled, payload);
  finish_streams(r, c);
}

// What a keeper of ours says at that moment.
bool in_order(const Command& c, Frame type) {
  switch (type) {
    case Frame::kReady:
    case Frame::kFailed:
      return !c.started;
    case Frame::kStarted:
      return !c.started && c.phase == Phase::kStarting;
    case Frame::kExited:
      // After the last word too, where the command itself was a survivor.
      return c.started && !c.exited && (c.phase != Phase::kSettled || c.stopping);
    default:
      return c.started;
  }
}

bool take_started(Command* c, Span<const char> payload) {
  int32_t pid = 0;
  if (payload.size != sizeof(pid)) return false;
  memcpy(&pid, payload.data, sizeof(pid));
  if (pid <= 1) return false;
  c->pid = pid;
  c->started = true;
  c->phase = Phase::kRunning;
  return true;
}

void take_frame(Reactor* r, Command* c, Frame type, Span<const char> payload) {
  if (!in_order(*c, type)) return lose_keeper(r, c);
  drop_request(c);
  switch (type) {
    case Frame::kReady:
      take_ready(r, c, payload);
      return;
    case Frame::kSettled:
      take_settled(r, c, payload);
      return;
    case Frame::kFailed:
      push_message(r, c, type, payload);
      c->phase = Phase::kSettled;
      close_lease(c);
      finish_streams(r, c);
      return;
    case Frame::kStarted:
      if (!take_started(c, payload)) return lose_keeper(r, c);
      r->started_one = true;
      break;
    case Frame::kExited:
      push_message(r, c, type, payload);
      if (c->watches) return;
      c->exited = true;
      begin_drain(r, c);
      return;
    case Frame::kStopping:
      c->stopping = true;
      r->look_at_streams = true;
      break;
    default:
      break;
  }
  push_message(r, c, type, payload);
}

bool known_frame(const FrameHeader& header) {
  return header.version == kWireVersion && header.size <= kMaxReportPayload &&
         header.type >= static_cast<uint16_t>(Frame::kStarted) &&
         header.type <= static_cast<uint16_t>(Frame::kRecording);
}

// Bytes into the current part of the frame. False where nothing more is there now.
bool receive_part(Reactor* r, Command* c, char* data, size_t size, size_t* have) {
  while (*have < size) {
    ssize_t n = recv(c->lease, data + *have, size - *have, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return false;
    if (n <= 0) {
      if (!start_again(r, c)) lose_keeper(r, c);
      return false;
    }
    *have += static_cast<size_t>(n);
  }
  return true;
}

bool next_frame(Reactor* r, Command* c) {
  if (!receive_part(r, c, reinterpret_cast<char*>(&c->header), sizeof(c->header), &c->header_have))
    return false;
  if (c->payload == nullptr) {
    if (known_frame(c->header)) c->payload = static_cast<char*>(malloc(max<size_t>(c->header.size, 1)));
    if (c->payload == nullptr) {
      lose_keeper(r, c);
      return false;
    }
    c->payload_have = 0;
  }
  return receive_part(r, c, c->payload, c->header.size, &c->payload_have);
}

}  // namespace

void close_lease(Command* c) {
  if (c->lease >= 0) close(c->lease);
  c->lease = -1;
}

void drop_unsent(Command* c) {
  free(c->unsent);
  c->unsent = nullptr;
  c->unsent_size = 0;
  c->unsent_at = 0;
}

void lose_keeper(Reactor* r, Command* c) {
  close_lease(c);
  drop_request(c);
  if (c->phase == Phase::kSettled) return;
  c->phase = Phase::kLost;
  c->lost_at = now();
  c->next_sweep = c->lost_at;
  set_timed(r, c);
}

bool send_to_keeper(Reactor* r, Command* c, Frame type, Span<const char> payload, Span<const int> fds) {
  if (c->lease < 0) return false;
  // Another keeper would not know of it.
  if (type != Frame::kSpawn) drop_request(c);
  size_t sent = 0;
  if (c->unsent_size == 0) {
    ssize_t n = send_frame(c->lease, type, payload, fds);
    if (n < 0 && (!can_wait(n) || fds.size > 0)) return fail_to_send(c, static_cast<int>(-n));
    sent = n > 0 ? static_cast<size_t>(n) : 0;
    if (sent == sizeof(FrameHeader) + payload.size) return true;
  }
  return queue_unsent(r, c, type, payload, sent) || fail_to_send(c, ENOMEM);
}

void flush_lease(Reactor* r, Command* c) {
  while (c->lease >= 0 && c->unsent_at < c->unsent_size) {
    ssize_t n =
        send(c->lease, c->unsent + c->unsent_at, c->unsent_size - c->unsent_at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;  // full, or broken: the next read tells
    c->unsent_at += static_cast<size_t>(n);
  }
  if (c->lease < 0 || c->unsent_at < c->unsent_size) return;
  drop_unsent(c);
  change_watch(r, c, EPOLLIN);
}

void read_lease(Reactor* r, Command* c) {
  while (c->lease >= 0 && next_frame(r, c)) {
    char* payload = c->payload;
    c->payload = nullptr;
    c->header_have = 0;
    take_frame(r, c, static_cast<Frame>(c->header.type), Span<const char>{payload, c->header.size});
    free(payload);
  }
}

void note_activity(Command* c) {
  if (c->phase == Phase::kDraining) c->idle_until = now() + kDrainIdle;
}

void check_drained(Reactor* r, Command* c) {
  if (c->phase == Phase::kDraining && outputs_ended(*c)) tell_drained(r, c);
}

void run_command_timers(Reactor* r, Command* c, Nanos time) {
  if (c->phase == Phase::kDraining && time >= min(c->idle_until, c->drain_until)) tell_drained(r, c);
  if (time >= c->next_sweep) sweep(r, c);
}

Nanos command_deadline(const Command& c) {
  if (c.phase == Phase::kDraining) return min(c.idle_until, c.drain_until);
  return c.next_sweep;
}

void close_if_done(Reactor* r, Command* c) {
  const bool over = c->phase == Phase::kSettled && c->lease < 0 && c->input.ended && outputs_ended(*c);
  if (!over) return;
  if (!c->closed) {
    c->closed = true;
    push_record(r, Record::kClosed, c->handle, 0, 0);
  }
  if (c->forgotten && !c->timed) free_command(r, c);
}

void fail_command(Reactor* r, Command* c, int number, SpawnStep step, Span<const char> detail) {
  char payload[256];
  Packer out(Span<char>{payload, sizeof(payload)});
  out.put(static_cast<int32_t>(number));
  out.put(static_cast<uint8_t>(step));
  out.bytes(detail.data, min<size_t>(detail.size, 200));
  close_lease(c);
  c->phase = Phase::kSettled;
  push_message(r, c, Frame::kFailed, Span<const char>{payload, out.size()});
  finish_streams(r, c);
}

}  // namespace procleash
