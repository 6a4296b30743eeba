#include "addon/spawn_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "addon/descriptors.h"
#include "addon/environment.h"
#include "addon/supervisor_link.h"

extern char** environ;

namespace procleash {
namespace {

constexpr double kModeIgnore = -1;
constexpr double kModePipe = -2;
constexpr double kModePath = -3;
constexpr double kModeAppend = -4;
constexpr double kModeLog = -5;  // append, never through a link that somebody else has put there

enum class Step { kHelper = 1, kSupervisor, kPipe, kDescriptor, kPath, kSpill, kMemory, kTooLarge, kCgroup };

struct Failure {
  int error = 0;
  Step step = Step::kMemory;
  int detail = 0;
};

Failure failure(int error, Step step, int detail = 0) { return Failure{error, step, detail}; }

// What is made before the request is sent; closes itself unless it is taken.
struct Made {
  UniqueFd ours[3];
  UniqueFd theirs[3];
  UniqueFd directory;
  UniqueFd spill;
};

struct Strings {
  const char* file;
  const char* cwd;
  const char* path[3];
  const char* spill;
  Span<const char> rest;  // arguments, then environment
};

const char* next_string(Span<const char>* left) {
  const char* start = left->data;
  const void* end = memchr(start, '\0', left->size);
  if (end == nullptr) return nullptr;
  const size_t size = static_cast<size_t>(static_cast<const char*>(end) - start) + 1;
  *left = Span<const char>{start + size, left->size - size};
  return start;
}

bool split(Span<const char> left, Strings* out) {
  out->file = next_string(&left);
  out->cwd = next_string(&left);
  for (const char*& path : out->path) path = next_string(&left);
  out->spill = next_string(&left);
  out->rest = left;
  return out->spill != nullptr;
}

Failure make_stdio(int index, double mode, const char* path, Made* made) {
  if (mode == kModeIgnore) return Failure{};
  if (mode == kModePipe) {
    FdPair pair;
    int error = make_pipe(index == 0 ? PipeUse::kWeWrite : PipeUse::kWeRead, &pair);
    if (error != 0) return failure(error, Step::kPipe);
    made->ours[index] = move(pair.ours);
    made->theirs[index] = move(pair.theirs);
    return Failure{};
  }
  if (mode == kModeLog) {
    int error = open_private(path, OpenFor::kAppend, &made->theirs[index]);
    return error != 0 ? failure(error, Step::kPath, index) : Failure{};
  }
  if (mode == kModePath || mode == kModeAppend) {
    const OpenFor output = mode == kModeAppend ? OpenFor::kAppend : OpenFor::kTruncate;
    int error = open_path(path, index == 0 ? OpenFor::kRead : output, &made->theirs[index]);
    return error != 0 ? failure(error, Step::kPath, index) : Failure{};
  }
  int error = duplicate(static_cast<int>(mode), &made->theirs[index]);
  return error != 0 ? failure(error, Step::kDescriptor, index) : Failure{};
}

Failure make_descriptors(const Strings& strings, Span<double> params, Made* made) {
  for (int index = 0; index < 3; index++) {
    Failure failed =
        make_stdio(index, params[kStdin + static_cast<size_t>(index)], strings.path[index], made);
    if (failed.error != 0) return failed;
  }
  // A working directory that was deleted meanwhile still is one; where it can't be opened the command starts
  // in "/".
  open_directory(&made->directory);
  if (strings.spill[0] == '\0') return Failure{};
  const int error = open_private(strings.spill, OpenFor::kTruncate, &made->spill);
  if (error != 0) return failure(error, Step::kSpill);
  // The reactor's thread writes it: a reader of a FIFO who takes his time would hold up every command.
  return never_waits(made->spill.get()) ? Failure{} : failure(EINVAL, Step::kSpill);
}

// The request's strings: file, cwd, arguments, environment with our mark in place of an older one.
struct Text {
  char* data = nullptr;
  size_t size = 0;
  uint32_t envc = 0;

  void put(const char* bytes, size_t count) {
    memcpy(data + size, bytes, count);
    size += count;
  }
};

bool is_mark(const char* entry) { return strncmp(entry, kMarkName, kMarkNameSize) == 0; }

void put_entry(Text* text, const char* entry, size_t size, const char** outer) {
  if (is_mark(entry)) {
    *outer = entry + kMarkNameSize;
    return;
  }
  text->put(entry, size);
  text->envc++;
}

size_t environ_size() {
  size_t size = 0;
  for (char** entry = environ; *entry != nullptr; entry++) size += strlen(*entry) + 1;
  return size;
}

bool put_environment(Text* text, double envc, Span<const char> given, uint64_t id) {
  const char* outer = nullptr;
  if (envc < 0) {
    for (char** entry = environ; *entry != nullptr; entry++)
      put_entry(text, *entry, strlen(*entry) + 1, &outer);
  } else {
    for (double i = 0; i < envc; i++) {
      const char* entry = next_string(&given);
      if (entry == nullptr) return false;
      put_entry(text, entry, static_cast<size_t>(given.data - entry), &outer);
    }
  }
  char mark[kMaxMark + 1];
  const size_t size = build_mark(outer, id, Span<char>{mark, sizeof(mark)});
  text->put(mark, size);
  text->envc++;
  return true;
}

Nanos nanos_of(double milliseconds) {
  return static_cast<Nanos>(milliseconds * static_cast<double>(kMillisecond));
}

int64_t limit_of(double value) { return value < 0 ? -1 : static_cast<int64_t>(value); }

Rights rights_of(Span<double> params) {
  Rights rights = {};
  rights.flags = static_cast<uint32_t>(params[kRightsChange]);
  rights.uid = static_cast<uint32_t>(params[kUid]);
  rights.gid = static_cast<uint32_t>(params[kGid]);
  rights.capabilities = static_cast<uint64_t>(params[kCapabilities]);
  rights.group_count = static_cast<uint32_t>(params.size - kParams);
  for (uint32_t i = 0; i < rights.group_count; i++)
    rights.groups[i] = static_cast<uint32_t>(params[kParams + i]);
  return rights;
}

// The keeper makes it; the host knows its path, to find it again when keeper and supervisor are gone.
Failure choose_leaf(Reactor* r, Command* c, Span<double> params) {
  if ((static_cast<uint32_t>(params[kFlags]) & kParamCgroup) == 0) return Failure{};
  Cgroups* cgroups = known_cgroups(&r->cgroups);
  if (cgroups == nullptr) return failure(ENOMEM, Step::kMemory);
  const uint32_t controllers = (params[kLimitMemory] >= 0 ? kMemoryController : 0) |
                               (params[kLimitProcesses] >= 0 ? kPidsController : 0) |
                               (params[kLimitCpu] >= 0 ? kCpuController : 0);
  CgroupPath path;
  if (!name_leaf(cgroups, controllers, c->id, &path)) return failure(errno, Step::kCgroup);
  c->leaf = strdup(path.c_str());
  return c->leaf != nullptr ? Failure{} : failure(ENOMEM, Step::kMemory);
}

Failure make_request(Command* c, const Strings& strings, Span<double> params, Made* made) {
  const char* leaf = c->leaf != nullptr ? c->leaf : "";
  const size_t inherited = params[kEnvc] < 0 ? environ_size() : 0;
  const size_t room = sizeof(SpawnHead) + strlen(strings.file) + strlen(strings.cwd) + strlen(leaf) + 3 +
                      strings.rest.size + inherited + kMaxMark + 1;
  if (room > kMaxSpawnPayload) return failure(E2BIG, Step::kTooLarge);
  Request* request = &c->request;
  request->payload = static_cast<char*>(malloc(room));
  char* payload = request->payload;
  if (payload == nullptr) return failure(ENOMEM, Step::kMemory);
  Text text{payload, sizeof(SpawnHead), 0};
  text.put(strings.file, strlen(strings.file) + 1);
  text.put(strings.cwd, strlen(strings.cwd) + 1);
  text.put(leaf, strlen(leaf) + 1);
  Span<const char> left = strings.rest;
  bool whole = true;
  for (double i = 0; i < params[kArgc] && whole; i++) whole = next_string(&left) != nullptr;
  text.put(strings.rest.data, static_cast<size_t>(left.data - strings.rest.data));
  whole = whole && put_environment(&text, params[kEnvc], left, c->id);

  SpawnHead head = {};
  for (int index = 0; index < 3; index++) {
    if (!made->theirs[index].valid()) continue;
    request->fds[request->fd_count++] = made->theirs[index].release();
    head.fds |= kFdStdin << index;
  }
  if (made->directory.valid()) {
    request->fds[request->fd_count++] = made->directory.release();
    head.fds |= kFdDirectory;
  }
  head.requested = now();
  head.timeout = params[kTimeout] < 0 ? -1 : nanos_of(params[kTimeout]);
  head.budget = nanos_of(params[kBudget]);
  head.stop_signal = static_cast<int32_t>(params[kStopSignal]);
  head.flags = (static_cast<uint32_t>(params[kFlags]) & kParamKeepLeftovers) != 0 ? kFlagKeepLeftovers : 0;
  head.memory = limit_of(params[kLimitMemory]);
  head.processes = limit_of(params[kLimitProcesses]);
  head.cpu = limit_of(params[kLimitCpu]);
  head.rights = rights_of(params);
  head.argc = static_cast<uint32_t>(params[kArgc]);
  head.envc = text.envc;
  memcpy(head.version, PROCLEASH_VERSION, min(sizeof(PROCLEASH_VERSION), sizeof(head.version)));
  memcpy(payload, &head, sizeof(head));
  request->size = text.size;
  return whole ? Failure{} : failure(EINVAL, Step::kSupervisor);
}

Failure keep_streams(Reactor* r, Command* c, Span<double> params, Made* made) {
  const bool collect = (static_cast<uint32_t>(params[kFlags]) & kParamCollect) != 0;
  for (int index = 0; index < 2; index++) {
    UniqueFd* end = &made->ours[index + 1];
    if (!end->valid()) continue;
    OutputStream* stream = &c->output[index];
    if (collect) {
      stream->collector = static_cast<Collector*>(calloc(1, sizeof(Collector)));
      if (stream->collector == nullptr) return failure(ENOMEM, Step::kMemory);
      stream->collector->limit = static_cast<uint64_t>(params[kMaxOutput]);
    }
    stream->ended = false;
    stream->fd = end->release();
    int error = watch(r, c, kWatchOut + static_cast<uint32_t>(index), stream->fd, EPOLLIN | EPOLLET);
    if (error != 0) return failure(error, Step::kPipe);
  }
  if (made->ours[0].valid()) {
    c->input.ended = false;
    c->input.fd = made->ours[0].release();
    int error = watch(r, c, kWatchIn, c->input.fd, EPOLLOUT | EPOLLET);
    if (error != 0) return failure(error, Step::kPipe);
  }
  c->spill = made->spill.release();
  return Failure{};
}

Failure open_new_lease(Reactor* r, Command* c) {
  FdPair lease;
  int error = make_socket_pair(SOCK_STREAM, &lease);
  if (error != 0) return failure(error, Step::kPipe);
  HelperFailure helper;
  error = hand_over_lease(Helper{r->helper, r->helper_or_memory}, LeaseOffer{lease.theirs.get()}, &helper);
  // One that has failed already leaves a status too.
  watch_helper(r);
  if (error != 0 && helper.file != 0) return failure(error, Step::kHelper, helper.memory);
  if (error != 0) return failure(error, Step::kSupervisor);
  c->lease = lease.ours.release();
  return Failure{};
}

// The keeper first of all: our thread is woken for its answer only. Where nobody is at the other end any
// more, what was said last is still to be read: a refusal, or nothing, which is the end of a spare.
Failure send_and_watch(Reactor* r, Command* c) {
  const Request& request = c->request;
  const bool sent = send_to_keeper(r, c, Frame::kSpawn, Span<const char>{request.payload, request.size},
                                   Span<const int>{request.fds, request.fd_count});
  if (!sent && errno != EPIPE && errno != ECONNRESET) return failure(errno, Step::kSupervisor);
  const int error = watch(r, c, kWatchLease, c->lease, EPOLLIN | (c->unsent_size > 0 ? EPOLLOUT : 0U));
  return error != 0 ? failure(error, Step::kPipe) : Failure{};
}

// A keeper that ends before it is ready has started nothing: another one gets the same request.
Failure send_to_another(Reactor* r, Command* c) {
  c->sent_again = true;
  if (c->lease >= 0) close(c->lease);
  c->lease = -1;
  free(c->unsent);
  c->unsent = nullptr;
  c->unsent_size = 0;
  c->unsent_at = 0;
  c->header_have = 0;
  free(c->payload);
  c->payload = nullptr;
  Failure failed = open_new_lease(r, c);
  if (failed.error != 0) return failed;
  return send_and_watch(r, c);
}

Failure start(Reactor* r, Command* c, const Strings& strings, Span<double> params, Made* made) {
  Failure failed = make_descriptors(strings, params, made);
  if (failed.error != 0) return failed;
  c->id = new_tree_id();
  failed = choose_leaf(r, c, params);
  if (failed.error != 0) return failed;
  c->lease = take_spare().release();
  if (c->lease < 0) failed = open_new_lease(r, c);
  if (failed.error != 0) return failed;
  watch_helper(r);
  c->budget = nanos_of(params[kBudget]);
  failed = keep_streams(r, c, params, made);
  if (failed.error != 0) return failed;
  failed = make_request(c, strings, params, made);
  if (failed.error != 0) return failed;
  return send_and_watch(r, c);
}

}  // namespace

bool start_again(Reactor* r, Command* c) {
  if (c->request.payload == nullptr || c->sent_again || !helper_proved()) return false;
  return send_to_another(r, c).error == 0;
}

void drop_request(Command* c) {
  for (size_t i = 0; i < c->request.fd_count; i++) close(c->request.fds[i]);
  free(c->request.payload);
  c->request = Request{};
}

int64_t spawn_command(Reactor* r, Span<double> params, Span<const char> strings) {
  Strings parts;
  if (params.size < kParams || params.size > kParams + kMaxGroups || !split(strings, &parts)) return -EINVAL;
  Command* c = add_command(r);
  Failure failed = failure(ENOMEM, Step::kMemory);
  if (c != nullptr) {
    Made made;
    failed = start(r, c, parts, params, &made);
  }
  if (failed.error == 0) return c->handle;
  // The lease closes with it: a keeper that got the request stops what it started.
  if (c != nullptr) free_command(r, c);
  params[kFailedStep] = static_cast<double>(failed.step);
  params[kFailedDetail] = failed.detail;
  return -failed.error;
}

}  // namespace procleash
