#include "addon/spawn_command.h"

#include <errno.h>
#include <string.h>

#include "addon/command_stdio.h"
#include "addon/environment.h"
#include "addon/lease.h"
#include "addon/request_delivery.h"
#include "addon/spawn_request.h"
#include "addon/supervisor_link.h"

namespace procleash {
namespace {

// The keeper makes it; the host knows its path, to find it again when keeper and supervisor are gone.
CallFailure choose_leaf(Reactor* r, Command* c, const SpawnOrder& order) {
  if (!order.has(kParamCgroup)) return {};
  const Span<double> params = order.params;
  Cgroups* cgroups = known_cgroups(&r->cgroups);
  if (cgroups == nullptr) return {ENOMEM, CallStep::kMemory};
  const uint32_t controllers = (params[kLimitMemory] >= 0 ? kMemoryController : 0) |
                               (params[kLimitProcesses] >= 0 ? kPidsController : 0) |
                               (params[kLimitCpu] >= 0 ? kCpuController : 0);
  CgroupPath path;
  if (!name_leaf(cgroups, controllers, c->id, &path)) return {errno, CallStep::kCgroup};
  c->leaf = strdup(path.c_str());
  if (c->leaf == nullptr) return {ENOMEM, CallStep::kMemory};
  return {};
}

CallFailure start(Reactor* r, Command* c, const SpawnOrder& order) {
  CommandStdio stdio;
  CallFailure failed = make_stdio(order, &stdio);
  if (failed.error != 0) return failed;
  c->id = new_tree_id();
  failed = choose_leaf(r, c, order);
  if (failed.error != 0) return failed;
  c->lease = take_spare().release();
  if (c->lease < 0) failed = open_lease(r, c, nullptr);
  if (failed.error != 0) return failed;
  watch_helper(r);
  c->budget = nanos_of(order.params[kBudget]);
  failed = keep_streams(r, c, order, &stdio);
  if (failed.error != 0) return failed;
  failed = make_request(c, order, &stdio);
  if (failed.error != 0) return failed;
  return send_request(r, c);
}

}  // namespace

int64_t spawn_command(Reactor* r, Span<double> params, Span<const char> strings) {
  SpawnOrder order;
  if (!read_order(params, strings, &order)) return -EINVAL;
  Command* c = add_command(r);
  CallFailure failed{ENOMEM, CallStep::kMemory};
  if (c != nullptr) failed = start(r, c, order);
  if (failed.error == 0) return c->handle;
  // The lease closes with it: a keeper that got the request stops what it started.
  if (c != nullptr) free_command(r, c);
  params[kFailedStep] = static_cast<double>(failed.step);
  params[kFailedDetail] = failed.detail;
  return -failed.error;
}

}  // namespace procleash
