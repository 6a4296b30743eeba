// The frames between host and keeper. The first byte of an input says in which pieces the stream arrives, and
// how many descriptors come with the first: pieces end where they like, and nobody asked for descriptors.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "addon/lease.h"
#include "supervisor/lease.h"
#include "targets.h"

// The one function of Node-API that the reactor calls by itself.
extern "C" napi_status napi_call_threadsafe_function(napi_threadsafe_function, void*,
                                                     napi_threadsafe_function_call_mode) {
  return napi_ok;
}

// The helper that the addon carries: nothing is started here.
extern "C" const char procleash_helper_begin[1] = {};
extern "C" const char procleash_helper_end[1] = {};

namespace procleash {
namespace {

// The lowest free number: the same before and after where no descriptor was leaked or closed twice.
int next_descriptor() {
  const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  close(fd);
  return fd;
}

struct Stream {
  Span<const char> left;
  size_t piece;
  size_t fd_count;

  explicit Stream(Span<const char> input) {
    const auto first = static_cast<uint8_t>(input[0]);
    left = Span<const char>{input.data + 1, input.size - 1};
    piece = static_cast<size_t>(first & 31) * 7 + 1;
    fd_count = first >> 5;
  }
};

// False once all was sent, or nobody receives any more.
bool send_piece(int socket, Stream* stream) {
  if (stream->left.size == 0) return false;
  struct iovec part = {const_cast<char*>(stream->left.data), min(stream->piece, stream->left.size)};
  alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * 7)] = {};
  struct msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (stream->fd_count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * stream->fd_count);
    struct cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * stream->fd_count);
    const int sent = STDERR_FILENO;
    for (size_t i = 0; i < stream->fd_count; i++) {
      memcpy(CMSG_DATA(head) + i * sizeof(int), &sent, sizeof(int));
    }
    stream->fd_count = 0;
  }
  const ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n <= 0) return false;
  stream->left = Span<const char>{stream->left.data + n, stream->left.size - static_cast<size_t>(n)};
  return true;
}

bool lies_in(Span<char> payload, const char* text) {
  return text >= payload.data && text + strlen(text) < payload.data + payload.size;
}

void decode(Span<char> payload) {
  const size_t count = spawn_pointers(payload);
  if (count == 0) return;
  auto** room = static_cast<char**>(malloc(count * sizeof(char*)));
  SpawnRequest request;
  if (decode_spawn(payload, Span<char*>{room, count}, &request)) {
    must(lies_in(payload, request.file) && lies_in(payload, request.cwd) && lies_in(payload, request.cgroup));
    for (uint32_t i = 0; i < request.head.argc; i++) must(lies_in(payload, request.argv[i]));
    for (uint32_t i = 0; i < request.head.envc; i++) must(lies_in(payload, request.envp[i]));
    const Rights& rights = request.head.rights;
    must(rights.group_count <= kMaxGroups && (rights.flags & ~kRightsFlags) == 0);
    must(request.argv[request.head.argc] == nullptr && request.envp[request.head.envc] == nullptr);
  }
  free(room);
}

void take(const Lease::Message& message) {
  if (message.type == Frame::kSpawn) decode(message.payload);
  StopPayload stop;
  decode_stop(Span<const char>{message.payload.data, message.payload.size}, &stop);
}

Reactor* make_reactor() {
  auto* r = static_cast<Reactor*>(calloc(1, sizeof(Reactor)));
  pthread_mutex_init(&r->lock, nullptr);
  r->helper_watch = -1;
  r->epoll = epoll_create1(EPOLL_CLOEXEC);
  r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  r->slot_size = 512;
  r->slot_count = 4;
  r->slab = static_cast<char*>(malloc(r->slot_size * r->slot_count));
  r->scratch = static_cast<char*>(malloc(256U << 10));
  free_command(r, add_command(r));
  return r;
}

// A pipe with some bytes, whose writer is still there.
int add_output(Reactor* r, Command* c) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  must(write(ends[1], "output", 6) == 6);
  c->output[0].fd = ends[0];
  c->output[0].ended = false;
  c->output[0].readable = true;
  watch(r, c, kWatchOut, ends[0], EPOLLIN | EPOLLET);
  return ends[1];
}

}  // namespace

void fuzz_spawn(Span<const char> input) {
  auto* copy = static_cast<char*>(malloc(max<size_t>(input.size, 1)));
  if (input.size > 0) memcpy(copy, input.data, input.size);
  decode(Span<char>{copy, input.size});
  free(copy);
}

void fuzz_lease(Span<const char> input) {
  if (input.size < 2) return;
  const int before = next_descriptor();
  {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    UniqueFd host(ends[1]);
    Lease lease;
    lease.open(ends[0]);
    Stream stream(input);
    Lease::Message message;
    do {
      while (lease.next(&message)) take(message);
    } while (!lease.broken() && send_piece(host.get(), &stream));
    host.reset();
    while (lease.next(&message)) take(message);
    must(lease.broken());
    lease.release_request();
  }
  must(next_descriptor() == before);
}

void fuzz_reply(Span<const char> input) {
  if (input.size < 2) return;
  static Reactor* r = make_reactor();
  const int before = next_descriptor();
  pthread_mutex_lock(&r->lock);
  r->free_slots = (1ULL << r->slot_count) - 1;
  Command* c = add_command(r);
  int ends[2];
  if (c == nullptr || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) __builtin_trap();
  UniqueFd keeper(ends[1]);
  c->lease = ends[0];
  watch(r, c, kWatchLease, c->lease, EPOLLIN);
  UniqueFd writer(add_output(r, c));
  Stream stream(input);
  do {
    read_lease(r, c);
    close_if_done(r, c);
  } while (c->lease >= 0 && send_piece(keeper.get(), &stream));
  keeper.reset();
  read_lease(r, c);
  // With a last word or without: a command whose keeper is gone is settled, or looked for.
  must(c->lease < 0 && (c->phase == Phase::kSettled || c->phase == Phase::kLost));
  free_command(r, c);
  r->records_count = 0;
  pthread_mutex_unlock(&r->lock);
  writer.reset();
  must(next_descriptor() == before);
}

}  // namespace procleash
