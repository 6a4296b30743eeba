#include "addon/watch_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "addon/foreign_jobs.h"
#include "addon/lease.h"
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
  put_version(request.version);
  return request;
}

}  // namespace

int64_t watch_tree(Reactor* r, const WatchOrder& order, CallFailure* failed) {
  Process root;
  const int64_t refusal = find_root(order, &root);
  if (refusal != 0) return refusal;
  *failed = {ENOMEM, CallStep::kMemory};
  Command* c = add_command(r);
  if (c == nullptr) return -ENOMEM;
  c->watches = true;
  c->budget = order.budget;
  c->start = root.start;
  const WatchPayload request = request_of(order, root);
  *failed = open_lease(r, c, &request);
  if (failed->error == 0) *failed = watch_lease(r, c);
  if (failed->error == 0) return c->handle;
  free_command(r, c);
  return -failed->error;
}

void release_watch(Reactor* r, Command* c) {
  c->released = send_to_keeper(r, c, Frame::kRelease, Span<const char>{}, Span<const int>{});
}

void lose_watch(Reactor* r, Command* c) {
  if (c->released) {
    c->phase = Phase::kSettled;
    return;
  }
  if (!c->started) return fail_lost(r, c);
  queue_lost(r, c);
}

}  // namespace procleash
