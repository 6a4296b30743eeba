#include "supervisor/start.h"

namespace procleash {
namespace {

CgroupPath leaf_path;

SpawnStep step_of(LeafStep step) {
  switch (step) {
    case LeafStep::kMemory:
      return SpawnStep::kLimitMemory;
    case LeafStep::kProcesses:
      return SpawnStep::kLimitProcesses;
    case LeafStep::kCpu:
      return SpawnStep::kLimitCpu;
    default:
      return SpawnStep::kCgroup;
  }
}

// The next of the descriptors that the request says it came with.
int take_fd(const Lease& lease, const SpawnHead& head, uint32_t bit, int* next) {
  return (head.fds & bit) != 0 && *next < kMaxFrameFds ? lease.fds[(*next)++].get() : -1;
}

SpawnPlan plan_of(const SpawnRequest& request, const Lease& lease, const Leaf& leaf) {
  SpawnPlan plan{};
  plan.file = request.file;
  plan.argv = request.argv;
  plan.envp = request.envp;
  plan.cwd = request.cwd[0] != '\0' ? request.cwd : nullptr;
  int next = 0;
  plan.stdio[0] = take_fd(lease, request.head, kFdStdin, &next);
  plan.stdio[1] = take_fd(lease, request.head, kFdStdout, &next);
  plan.stdio[2] = take_fd(lease, request.head, kFdStderr, &next);
  plan.directory = take_fd(lease, request.head, kFdDirectory, &next);
  plan.cgroup = leaf.directory.get();
  plan.rights = &request.head.rights;
  return plan;
}

}  // namespace

StartFailure start_tree(Tree* t, const SpawnRequest& request, const Lease& lease) {
  if (request.cgroup[0] != '\0') {
    leaf_path.put(request.cgroup);
    const CgroupLimits limits{request.head.memory, request.head.processes, request.head.cpu};
    const LeafFailure failure = make_leaf(leaf_path.c_str(), limits, &t->leaf);
    if (failure.step != LeafStep::kNone) return {step_of(failure.step), failure.number};
  }
  Spawned spawned = spawn(plan_of(request, lease, t->leaf), t->features);
  if (spawned.step != SpawnStep::kNone) {
    remove_cgroup(t);
    return {spawned.step, spawned.number};
  }
  Process leader;
  if (read_process(t->proc, spawned.pid, &leader)) t->leader_start = leader.start;
  t->leader.pid = spawned.pid;
  t->leader.pidfd = move(spawned.pidfd);
  return {};
}

void remove_cgroup(Tree* t) {
  if (!t->leaf.valid()) return;
  remove_leaf(leaf_path.c_str());
  t->leaf = Leaf{};
}

}  // namespace procleash
