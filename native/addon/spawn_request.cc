#include "addon/spawn_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addon/environment.h"

extern char** environ;

namespace procleash {
namespace {

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

SpawnHead head_of(const SpawnOrder& order) {
  const Span<double> params = order.params;
  SpawnHead head = {};
  head.requested = now();
  head.timeout = params[kTimeout] < 0 ? -1 : nanos_of(params[kTimeout]);
  head.budget = nanos_of(params[kBudget]);
  head.stop_signal = static_cast<int32_t>(params[kStopSignal]);
  head.flags = order.has(kParamKeepLeftovers) ? kFlagKeepLeftovers : 0;
  head.memory = limit_of(params[kLimitMemory]);
  head.processes = limit_of(params[kLimitProcesses]);
  head.cpu = limit_of(params[kLimitCpu]);
  head.rights = rights_of(params);
  head.argc = static_cast<uint32_t>(params[kArgc]);
  put_version(head.version);
  return head;
}

// What head.fds says of them.
uint32_t take_descriptors(Request* request, CommandStdio* stdio) {
  uint32_t taken = 0;
  for (int index = 0; index < 3; index++) {
    if (!stdio->theirs[index].valid()) continue;
    request->fds[request->fd_count++] = stdio->theirs[index].release();
    taken |= kFdStdin << index;
  }
  if (stdio->directory.valid()) {
    request->fds[request->fd_count++] = stdio->directory.release();
    taken |= kFdDirectory;
  }
  return taken;
}

// False where the order has fewer strings than it says.
bool put_strings(Text* text, const SpawnOrder& order, const char* leaf, uint64_t id) {
  text->put(order.file, strlen(order.file) + 1);
  text->put(order.cwd, strlen(order.cwd) + 1);
  text->put(leaf, strlen(leaf) + 1);
  Span<const char> left = order.rest;
  for (double i = 0; i < order.params[kArgc]; i++) {
    if (next_string(&left) == nullptr) return false;
  }
  text->put(order.rest.data, static_cast<size_t>(left.data - order.rest.data));
  return put_environment(text, order.params[kEnvc], left, id);
}

}  // namespace

CallFailure make_request(Command* c, const SpawnOrder& order, CommandStdio* stdio) {
  const char* leaf = c->leaf != nullptr ? c->leaf : "";
  const size_t inherited = order.params[kEnvc] < 0 ? environ_size() : 0;
  const size_t room = sizeof(SpawnHead) + strlen(order.file) + strlen(order.cwd) + strlen(leaf) + 3 +
                      order.rest.size + inherited + kMaxMark + 1;
  if (room > kMaxSpawnPayload) return {E2BIG, CallStep::kTooLarge};
  Request* request = &c->request;
  request->payload = static_cast<char*>(malloc(room));
  if (request->payload == nullptr) return {ENOMEM, CallStep::kMemory};
  Text text{request->payload, sizeof(SpawnHead), 0};
  if (!put_strings(&text, order, leaf, c->id)) return {EINVAL, CallStep::kSupervisor};
  SpawnHead head = head_of(order);
  head.fds = take_descriptors(request, stdio);
  head.envc = text.envc;
  memcpy(request->payload, &head, sizeof(head));
  request->size = text.size;
  return {};
}

}  // namespace procleash
