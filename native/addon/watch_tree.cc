#include "addon/watch_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "addon/descriptors.h"
#include "addon/foreign_jobs.h"
#include "addon/spawn_command.h"
#include "addon/supervisor_link.h"
#include "foreign/foreign_target.h"

namespace procleash {
namespace {

// 0, a Refusal, or -errno.
int64_t find_root(const WatchOrder& order, Process* root) {
  UniqueFd proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!proc.valid() && errno != ENOENT) return -errno;
  ForeignTree t;
  t.proc = proc.get();
  t.features = probe_features(proc.get(), getenv("PROCLEASH_DISABLE"));
  if (t.features.procfs != Procfs::kOwn) return static_cast<int64_t>(Refusal::kProcfs);
  const int error = find_never(&t);
  if (error != 0) return -error;
  return static_cast<int64_t>(check_target(t, order.pid, order.start, false, root));
}

WatchPayload request_of(const WatchOrder& order, const Process& root) {
  WatchPayload request = {};
  request.start = static_cast<int64_t>(root.start);
  request.budget = order.budget;
  request.pid = root.pid;
  request.stop_signal = order.stop_signal;
  request.group = getpgrp();
  request.session = getsid(0);
  request.flags = order.flags;
  memcpy(request.version, PROCLEASH_VERSION, min(sizeof(PROCLEASH_VERSION), sizeof(request.version)));
  return request;
}

int hand_over(Reactor* r, Command* c, const WatchPayload& request, WatchFailure* failed) {
  FdPair lease;
  failed->step = kStepPipe;
  int error = make_socket_pair(SOCK_STREAM, &lease);
  if (error != 0) return error;
  HelperFailure helper;
  error = hand_over_lease(Helper{r->helper, r->helper_or_memory}, LeaseOffer{lease.theirs.get(), &request},
                          &helper);
  failed->step = helper.file != 0 ? kStepHelper : kStepSupervisor;
  failed->detail = helper.memory;
  watch_helper(r);
  if (error != 0) return error;
  c->lease = lease.ours.release();
  failed->step = kStepPipe;
  return watch(r, c, kWatchLease, c->lease, EPOLLIN);
}

}  // namespace

int64_t watch_tree(Reactor* r, const WatchOrder& order, WatchFailure* failed) {
  Process root;
  const int64_t refusal = find_root(order, &root);
  if (refusal != 0) return refusal;
  failed->step = kStepMemory;
  Command* c = add_command(r);
  if (c == nullptr) return -ENOMEM;
  c->watches = true;
  c->budget = order.budget;
  c->start = root.start;
  const int error = hand_over(r, c, request_of(order, root), failed);
  if (error == 0) return c->handle;
  free_command(r, c);
  return -error;
}

void release_watch(Reactor* r, Command* c) {
  c->released = send_to_keeper(r, c, Frame::kRelease, Span<const char>{}, Span<const int>{});
}

void lose_watch(Reactor* r, Command* c) {
  if (c->released) {
    c->phase = Phase::kSettled;
    return;
  }
  if (!c->started) {
    // A helper that has never been ready is no good; one that has was killed.
    const int error = helper_proved() ? ECONNRESET : EPIPE;
    return fail_command(r, c, error, SpawnStep::kLost, Span<const char>{});
  }
  queue_lost(r, c);
}

}  // namespace procleash
