// What host and keeper say to each other about one command, and what follows from it on this side: the drain
// after the command's end, the end of the streams, the search after a keeper that ended without its last
// word.
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "addon/lease.h"
#include "addon/request_delivery.h"
#include "addon/supervisor_link.h"

namespace procleash {
namespace {

// After the command's end: as long as bytes come, at most so long between two, and so long in all.
constexpr Nanos kDrainIdle = 100 * kMillisecond;
constexpr Nanos kDrainMost = 2 * kSecond;

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

}  // namespace

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

void lose_keeper(Reactor* r, Command* c) {
  close_lease(c);
  drop_request(c);
  if (c->phase == Phase::kSettled) return;
  c->phase = Phase::kLost;
  c->lost_at = now();
  c->next_sweep = c->lost_at;
  set_timed(r, c);
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
