// What JavaScript is told: records in a ring, the messages that some of them announce, and one call for all
// that wait.
#include <stdlib.h>
#include <string.h>

#include "addon/reactor.h"

namespace procleash {
namespace {

// A runtime can lose a call; an event loop that is only blocked takes no harm from another one.
constexpr Nanos kNoticeAgain = kSecond;

void grow_records(Reactor* r) {
  const size_t room = r->records_room == 0 ? 256 : r->records_room * 2;
  auto* grown = static_cast<int32_t*>(malloc(room * kRecordInts * sizeof(int32_t)));
  // A lost record would be a lost exit: without 4 kB more there is no honest way on.
  if (grown == nullptr) abort();
  for (size_t i = 0; i < r->records_count; i++) {
    const size_t from = (r->records_first + i) % r->records_room;
    memcpy(grown + i * kRecordInts, r->records + from * kRecordInts, kRecordInts * sizeof(int32_t));
  }
  free(r->records);
  r->records = grown;
  r->records_room = room;
  r->records_first = 0;
}

}  // namespace

void push_record(Reactor* r, Record type, uint32_t handle, int32_t a, int32_t b) {
  if (r->records_count == r->records_room) grow_records(r);
  const size_t place = (r->records_first + r->records_count) % r->records_room;
  const int32_t record[kRecordInts] = {static_cast<int32_t>(type), static_cast<int32_t>(handle), a, b};
  memcpy(r->records + place * kRecordInts, record, sizeof(record));
  r->records_count++;
}

void push_message(Reactor* r, Command* c, Frame type, Span<const char> payload) {
  auto* message = static_cast<PendingMessage*>(malloc(sizeof(PendingMessage) + payload.size));
  if (message == nullptr) abort();  // see grow_records
  message->next = nullptr;
  message->size = static_cast<uint32_t>(payload.size);
  memcpy(message->data, payload.data, payload.size);
  if (c->last_message != nullptr) {
    c->last_message->next = message;
  } else {
    c->first_message = message;
  }
  c->last_message = message;
  constexpr auto kBase = static_cast<int32_t>(Frame::kStarted) - 1;
  push_record(r, Record::kMessage, c->handle, static_cast<int32_t>(type) - kBase,
              static_cast<int32_t>(payload.size));
}

size_t take_records(Reactor* r, Span<int32_t> out) {
  const size_t count = min(out.size / kRecordInts, r->records_count);
  for (size_t i = 0; i < count; i++) {
    memcpy(out.data + i * kRecordInts, r->records + r->records_first * kRecordInts,
           kRecordInts * sizeof(int32_t));
    r->records_first = (r->records_first + 1) % r->records_room;
  }
  r->records_count -= count;
  return count;
}

PendingMessage* take_message(Command* c) {
  PendingMessage* oldest = c->first_message;
  if (oldest == nullptr) return nullptr;
  c->first_message = oldest->next;
  if (c->first_message == nullptr) c->last_message = nullptr;
  return oldest;
}

bool wants_notice(Reactor* r) {
  if (r->records_count == 0) return false;
  if (r->notified && now() < r->notified_again) return false;
  r->notified = true;
  r->notified_again = now() + kNoticeAgain;
  return true;
}

Nanos notice_deadline(const Reactor& r) {
  return r.records_count > 0 && r.notified ? r.notified_again : kNever;
}

void notify_javascript(Reactor* r) {
  if (napi_call_threadsafe_function(r->notify, nullptr, napi_tsfn_nonblocking) == napi_ok) return;
  Lock lock(r);
  r->notified = false;
}

}  // namespace procleash
