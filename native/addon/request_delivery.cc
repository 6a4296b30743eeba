#include "addon/request_delivery.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "addon/lease.h"
#include "addon/supervisor_link.h"

namespace procleash {
namespace {

void forget_lease(Command* c) {
  close_lease(c);
  drop_unsent(c);
  c->header_have = 0;
  free(c->payload);
  c->payload = nullptr;
}

}  // namespace

// The keeper first of all: our thread is woken for its answer only. Where nobody is at the other end any
// more, what was said last is still to be read: a refusal, or nothing, which is the end of a spare.
CallFailure send_request(Reactor* r, Command* c) {
  const Request& request = c->request;
  const bool sent = send_to_keeper(r, c, Frame::kSpawn, Span<const char>{request.payload, request.size},
                                   Span<const int>{request.fds, request.fd_count});
  if (!sent && errno != EPIPE && errno != ECONNRESET) return {errno, CallStep::kSupervisor};
  return watch_lease(r, c);
}

// A keeper that ends before it is ready has started nothing: another one gets the same request.
bool start_again(Reactor* r, Command* c) {
  if (c->request.payload == nullptr || c->sent_again || !helper_proved()) return false;
  c->sent_again = true;
  forget_lease(c);
  return open_lease(r, c, nullptr).error == 0 && send_request(r, c).error == 0;
}

void drop_request(Command* c) {
  for (size_t i = 0; i < c->request.fd_count; i++) close(c->request.fds[i]);
  free(c->request.payload);
  c->request = Request{};
}

}  // namespace procleash
