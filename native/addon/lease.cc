#include "addon/lease.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "addon/descriptors.h"
#include "addon/request_delivery.h"
#include "addon/supervisor_link.h"

namespace procleash {
namespace {

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

// What a keeper never gets, it never does: at the end of its lease it stops its tree, or goes without one.
// One that has ended meanwhile may have said its last word, which is still to be read.
bool fail_to_send(Command* c, int error) {
  shutdown(c->lease, SHUT_WR);
  errno = error;
  return false;
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

CallFailure open_lease(Reactor* r, Command* c, const WatchPayload* watch) {
  FdPair lease;
  int error = make_socket_pair(SOCK_STREAM, &lease);
  if (error != 0) return {error, CallStep::kPipe};
  HelperFailure helper;
  error =
      hand_over_lease(Helper{r->helper, r->helper_or_memory}, LeaseOffer{lease.theirs.get(), watch}, &helper);
  // One that has failed already leaves a status too.
  watch_helper(r);
  if (error != 0 && helper.file != 0) return {error, CallStep::kHelper, helper.memory};
  if (error != 0) return {error, CallStep::kSupervisor};
  c->lease = lease.ours.release();
  return {};
}

CallFailure watch_lease(Reactor* r, Command* c) {
  const int error = watch(r, c, kWatchLease, c->lease, EPOLLIN | (c->unsent_size > 0 ? EPOLLOUT : 0U));
  if (error != 0) return {error, CallStep::kPipe};
  return {};
}

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

}  // namespace procleash
