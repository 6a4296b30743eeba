// The reactor's commands, by handle: a place in a table below a generation, so that a handle that outlives
// its command names nobody.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "addon/reactor.h"
#include "addon/request_delivery.h"

namespace procleash {
namespace {

constexpr size_t kPointer = sizeof(void*);
constexpr uint32_t kIndexMask = kMaxCommands - 1;
constexpr uint32_t kGenerations = 1U << 15;  // handles stay positive in 32 bits

}  // namespace

Command* find_command(Reactor* r, uint32_t handle) {
  const uint32_t index = handle & kIndexMask;
  if (index >= r->commands_room) return nullptr;
  Command* c = r->commands[index];
  return c != nullptr && c->handle == handle ? c : nullptr;
}

Command* add_command(Reactor* r) {
  uint32_t index = 0;
  while (index < r->commands_room && r->commands[index] != nullptr) index++;
  if (index == kMaxCommands) return nullptr;
  if (index == r->commands_room) {
    const uint32_t room = r->commands_room == 0 ? 16 : r->commands_room * 2;
    auto** grown = static_cast<Command**>(realloc(r->commands, room * kPointer));
    if (grown == nullptr) return nullptr;
    memset(grown + r->commands_room, 0, (room - r->commands_room) * kPointer);
    r->commands = grown;
    r->commands_room = room;
  }
  void* memory = malloc(sizeof(Command));
  if (memory == nullptr) return nullptr;
  const Command initial;
  memcpy(memory, static_cast<const void*>(&initial), sizeof(Command));
  auto* c = static_cast<Command*>(memory);
  r->next_generation = r->next_generation % (kGenerations - 1) + 1;
  c->handle = (r->next_generation << 16) | index;
  r->commands[index] = c;
  return c;
}

void free_command(Reactor* r, Command* c) {
  for (Command** place = &r->timed; *place != nullptr;) {
    if (*place == c) {
      *place = c->next_timed;
    } else {
      place = &(*place)->next_timed;
    }
  }
  const int fds[] = {c->lease, c->input.fd, c->output[0].fd, c->output[1].fd, c->spill};
  for (int fd : fds) {
    if (fd >= 0) close(fd);
  }
  for (OutputStream& stream : c->output) free_collector(stream.collector);
  free_input(&c->input);
  while (c->first_message != nullptr) free(take_message(c));
  drop_request(c);
  free(c->payload);
  free(c->unsent);
  free(c->leaf);
  r->commands[c->handle & kIndexMask] = nullptr;
  free(c);
}

}  // namespace procleash
