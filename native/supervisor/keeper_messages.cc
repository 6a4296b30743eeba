#include "supervisor/keeper_messages.h"

#include <errno.h>
#include <sys/prctl.h>

#include "supervisor/report.h"
#include "supervisor/start.h"

namespace procleash {
namespace {

// Nothing is started.
void refuse(Keeper* k, int number, SpawnStep step) {
  k->lease.release_request();
  k->state = KeeperState::kDone;
  say_failed(&k->lease, number, static_cast<uint8_t>(step));
}

// The pointers' place: behind the payload, aligned (the lease mapped room for them).
bool decode_request(const Lease& lease, Span<char> payload, SpawnRequest* out) {
  char* end = payload.data + payload.size;
  const size_t beyond = reinterpret_cast<uintptr_t>(end) % sizeof(char*);
  auto* pointers = reinterpret_cast<char**>(beyond == 0 ? end : end + sizeof(char*) - beyond);
  const size_t count = spawn_pointers(payload);
  const bool whole = count > 0 && decode_spawn(payload, Span<char*>{pointers, count}, out);
  return whole && lease.fd_count() == __builtin_popcount(out->head.fds);
}

void start_command(Keeper* k, Span<char> payload) {
  SpawnRequest request;
  if (!decode_request(k->lease, payload, &request)) {
    refuse(k, EBADMSG, SpawnStep::kMalformed);
    return;
  }
  if (!is_our_version(request.head.version)) {
    refuse(k, EPROTONOSUPPORT, SpawnStep::kVersion);
    return;
  }
  // A host that has died since it asked must not get a command: the lease is armed before anything runs.
  if (peer_gone(k->lease.socket())) {
    k->lease.release_request();
    k->state = KeeperState::kDone;
    return;
  }
  // The kill phase could need a descriptor that is not to be had: nothing is started then.
  if (k->shortage != 0) k->shortage = open_own_children(tree.proc, tree.features, &tree.own_children);
  if (k->shortage != 0) {
    refuse(k, k->shortage, SpawnStep::kFork);
    return;
  }
  const StartFailure failure = start_tree(&tree, request, k->lease);
  if (failure.step != SpawnStep::kNone) {
    refuse(k, failure.number, failure.step);
    return;
  }
  say_started(&k->lease, tree.leader.pid);
  k->state = KeeperState::kRunning;
  k->budget = request.head.budget;
  k->stop_signal = request.head.stop_signal;
  k->keep_leftovers = (request.head.flags & kFlagKeepLeftovers) != 0;
  if (request.head.timeout >= 0) k->timeout_at = later(request.head.requested, request.head.timeout);
  // The command holds its own copies; ours would keep its pipes open for ever.
  k->lease.release_request();
}

void take_stop(Keeper* k, Span<const char> payload) {
  StopPayload stop;
  if (!decode_stop(payload, &stop)) return k->lease.refuse();
  request_stop(k, static_cast<Reason>(stop.reason), stop.requested, stop.budget);
}

void take_signal(Keeper* k, Span<const char> payload) {
  int32_t number = 0;
  if (!decode_signal(payload, &number)) return k->lease.refuse();
  if (has_tree(*k)) signal_command(&tree, number);
}

void take_inspect(Keeper* k, Span<const char> payload) {
  uint32_t request = 0;
  if (!decode_inspect(payload, &request)) return k->lease.refuse();
  look_again(&tree);
  say_processes(&k->lease, request, tree);
}

void take_message(Keeper* k, const Lease::Message& message) {
  const Span<const char> payload{message.payload.data, message.payload.size};
  switch (message.type) {
    case Frame::kSpawn:
      if (k->state != KeeperState::kIdle) break;
      // Its host gives the request to another keeper, of another supervisor.
      if (peer_gone(k->supervisor.get())) return k->lease.close();
      be_ready(k);
      start_command(k, message.payload);
      break;
    case Frame::kStop:
      take_stop(k, payload);
      break;
    case Frame::kSignal:
      take_signal(k, payload);
      break;
    case Frame::kInspect:
      take_inspect(k, payload);
      break;
    case Frame::kDrained:
      after_drain(k);
      break;
    default:
      k->lease.refuse();
      break;
  }
}

}  // namespace

void be_ready(Keeper* k) {
  prctl(PR_SET_NAME, "procleash-keep", 0, 0, 0);
  say_ready(&k->lease);
}

void read_messages(Keeper* k) {
  Lease::Message message;
  k->lease.flush();
  while (k->lease.next(&message)) take_message(k, message);
}

}  // namespace procleash
