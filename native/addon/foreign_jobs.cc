#include "addon/foreign_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace procleash {

enum class JobKind : uint8_t { kStop, kInspection };

struct ForeignJob {
  ForeignJob* next = nullptr;
  JobKind kind = JobKind::kStop;
  bool done = false;
  bool lost = false;     // the record of a watcher is, and its tree is known by its root alone
  bool unknown = false;  // not even by that: nothing is said
  Command* channel = nullptr;
  ForeignTree tree;
  char names[kMaxNamed][kMaxArgv] = {};
  Process root;
  ForeignStop stop;
  Report report;
};

struct ForeignJobs {
  ForeignJob* first;
  Snapshot snapshot;
};

namespace {

ForeignJob* make_job(JobKind kind) {
  void* memory = malloc(sizeof(ForeignJob));
  if (memory == nullptr) return nullptr;
  const ForeignJob initial;
  memcpy(memory, static_cast<const void*>(&initial), sizeof(initial));
  auto* job = static_cast<ForeignJob*>(memory);
  job->kind = kind;
  return job;
}

void free_job(ForeignJob* job) {
  free_tree(&job->tree);
  free(job->report.bytes);
  free(job);
}

int open_tree(const Reactor& r, ForeignTree* t) {
  t->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (t->proc >= 0) t->features = probe_features(t->proc, r.disabled);
  return t->proc >= 0 || errno == ENOENT ? 0 : errno;
}

int64_t refuse(ForeignJob* job, int64_t why) {
  free_job(job);
  return why;
}

// `channel`: null for a new one.
int64_t queue(Reactor* r, ForeignJob* job, Command* channel) {
  if (r->foreign == nullptr) r->foreign = static_cast<ForeignJobs*>(calloc(1, sizeof(ForeignJobs)));
  if (r->foreign == nullptr) return refuse(job, -ENOMEM);
  job->channel = channel != nullptr ? channel : add_command(r);
  if (job->channel == nullptr) return refuse(job, -ENOMEM);
  job->channel->phase = Phase::kForeign;
  job->next = r->foreign->first;
  r->foreign->first = job;
  wake_thread(r);
  return job->channel->handle;
}

Nanos due(const ForeignJob& job) { return job.kind == JobKind::kStop ? job.stop.next : 0; }

void step_inspection(ForeignJob* job, const Snapshot& snapshot) {
  job->done = true;
  Process* root = find_process(snapshot.processes(), job->root.pid);
  // Gone since it was asked for: an empty list.
  if (root != nullptr && root->start == job->root.start) root->mark = kMarkKin;
  spread_kin(snapshot.processes(), NoTie{});
  job->report = report_processes(job->tree.proc, snapshot, job->root);
}

// What a process has left is tied to it no more, and nothing could be said of it.
bool root_lives(const ForeignTree& t) {
  const Member* root = find_root(t);
  return root != nullptr && root->alive && root->last.state != 'Z';
}

void step_job(ForeignJob* job, const Snapshot& snapshot) {
  for (Process& process : snapshot.processes()) process.mark = kMarkNone;
  if (job->kind == JobKind::kInspection) return step_inspection(job, snapshot);
  const bool first = job->tree.pictures == 0;
  step_stop(&job->stop, &job->tree, snapshot);
  job->unknown = job->unknown || (first && job->lost && !root_lives(job->tree));
  job->done = job->stop.phase == StopPhase::kEnded;
  if (job->done && !job->unknown) job->report = report_settled(job->stop, job->tree);
}

// Without the lock: JavaScript only puts new jobs before the first one.
void run_due(ForeignJob* first, Snapshot* snapshot, Nanos time) {
  bool taken = false;
  for (ForeignJob* job = first; job != nullptr; job = job->next) {
    if (due(*job) > time) continue;
    if (!taken) take_snapshot(job->tree.proc, snapshot);
    taken = true;
    step_job(job, *snapshot);
  }
}

void deliver(Reactor* r, const ForeignJob& job) {
  Command* c = job.channel;
  c->phase = Phase::kSettled;
  const Frame type = job.kind == JobKind::kStop ? Frame::kSettled : Frame::kProcesses;
  if (job.report.bytes != nullptr) {
    push_message(r, c, type, Span<const char>{job.report.bytes, job.report.size});
  }
  close_if_done(r, c);
}

void deliver_done(Reactor* r, Nanos* next) {
  for (ForeignJob** place = &r->foreign->first; *place != nullptr;) {
    ForeignJob* job = *place;
    if (!job->done) {
      *next = min(*next, due(*job));
      place = &job->next;
      continue;
    }
    *place = job->next;
    deliver(r, *job);
    free_job(job);
  }
}

Nanos first_due(const ForeignJobs& jobs) {
  Nanos first = kNever;
  for (const ForeignJob* job = jobs.first; job != nullptr; job = job->next) first = min(first, due(*job));
  return first;
}

int64_t queue_stop_for(Reactor* r, const StopOrder& order, Command* channel) {
  ForeignJob* job = make_job(JobKind::kStop);
  if (job == nullptr) return -ENOMEM;
  ForeignTree* t = &job->tree;
  int error = open_tree(*r, t);
  if (error != 0) return refuse(job, -error);
  if (t->features.procfs != Procfs::kOwn) return refuse(job, static_cast<int64_t>(Refusal::kProcfs));
  error = find_never(t);
  if (error != 0) return refuse(job, -error);
  const Refusal refusal = check_target(*t, order.pid, order.start, order.group_mates, &job->root);
  if (refusal != Refusal::kNone) return refuse(job, static_cast<int64_t>(refusal));
  t->names = job->names;
  if (!begin_tree(t, job->root)) return refuse(job, -ENOMEM);
  job->stop.signal = order.signal;
  job->stop.requested = order.requested;
  job->stop.deadline = order.requested + order.budget;
  job->stop.reason = order.reason;
  job->lost = channel != nullptr;
  return queue(r, job, channel);
}

}  // namespace

int64_t queue_stop(Reactor* r, const StopOrder& order) { return queue_stop_for(r, order, nullptr); }

void queue_lost(Reactor* r, Command* c) {
  StopOrder order;
  order.pid = c->pid;
  order.start = static_cast<int64_t>(c->start);
  order.requested = now();
  order.budget = c->budget;
  order.signal = SIGKILL;
  order.reason = Reason::kSupervisorLost;
  if (queue_stop_for(r, order, c) > 0) return;
  c->phase = Phase::kSettled;
  close_if_done(r, c);
}

int64_t queue_inspection(Reactor* r, int64_t pid) {
  ForeignJob* job = make_job(JobKind::kInspection);
  if (job == nullptr) return -ENOMEM;
  const int error = open_tree(*r, &job->tree);
  if (error != 0) return refuse(job, -error);
  const Refusal refusal = find_target(job->tree, pid, &job->root);
  if (refusal != Refusal::kNone) return refuse(job, static_cast<int64_t>(refusal));
  return queue(r, job, nullptr);
}

Nanos run_foreign_jobs(Reactor* r) {
  if (r->foreign == nullptr) return kNever;
  const Nanos time = now();
  const Nanos first = first_due(*r->foreign);
  if (first > time) return first;
  ForeignJob* jobs = r->foreign->first;
  pthread_mutex_unlock(&r->lock);
  run_due(jobs, &r->foreign->snapshot, time);
  pthread_mutex_lock(&r->lock);
  Nanos next = kNever;
  deliver_done(r, &next);
  if (r->foreign->first == nullptr) free_snapshot(&r->foreign->snapshot);
  return next;
}

void free_foreign_jobs(Reactor* r) {
  if (r->foreign == nullptr) return;
  while (r->foreign->first != nullptr) {
    ForeignJob* next = r->foreign->first->next;
    free_job(r->foreign->first);
    r->foreign->first = next;
  }
  free_snapshot(&r->foreign->snapshot);
  free(r->foreign);
  r->foreign = nullptr;
}

}  // namespace procleash
