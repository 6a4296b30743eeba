#include "foreign/process_events.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace procleash {
namespace {

// linux/netlink.h, linux/connector.h, linux/cn_proc.h: musl's headers come without the kernel's.
constexpr int kNetlink = 16;
constexpr int kConnector = 11;
constexpr uint32_t kGroupOfEvents = 1;  // CN_IDX_PROC, CN_VAL_PROC
constexpr uint32_t kListen = 1;         // PROC_CN_MCAST_LISTEN
constexpr uint32_t kIgnore = 2;         // PROC_CN_MCAST_IGNORE
constexpr uint32_t kNone = 0;           // PROC_EVENT_NONE: the answer to one of these
constexpr uint32_t kFork = 1;           // PROC_EVENT_FORK
constexpr uint16_t kDone = 3;           // NLMSG_DONE

struct Address {
  uint16_t family;
  uint16_t padding;
  uint32_t port;  // 0: the kernel
  uint32_t groups;
};

struct MessageHead {
  uint32_t size;
  uint16_t type;
  uint16_t flags;
  uint32_t sequence;
  uint32_t port;
};

struct ConnectorHead {
  uint32_t index;
  uint32_t value;
  uint32_t sequence;
  uint32_t ack;
  uint16_t size;
  uint16_t flags;
};

struct ForkEvent {
  uint32_t what;
  uint32_t cpu;
  uint64_t time;
  int32_t parent_thread;
  int32_t parent;
  int32_t child_thread;
  int32_t child;
};

struct Request {
  MessageHead head;
  ConnectorHead connector;
  uint32_t operation;
};
static_assert(sizeof(Request) == 40, "the kernel's format");

// Some thousand events: what a build forks in the milliseconds in which a busy machine doesn't run us.
constexpr int kQueue = 4 << 20;
constexpr size_t kMaxMessage = 512;
constexpr int kMostAtOnce = 10'000;
constexpr int kQueueForce = 33;  // SO_RCVBUFFORCE, with CAP_NET_ADMIN

// The answer has the next number as its `ack`; the sequence is the kernel's own count.
bool request(int socket, uint32_t operation, uint32_t number) {
  Request request = {};
  request.head = {sizeof(request), kDone, 0, 0, 0};
  request.connector = {kGroupOfEvents, kGroupOfEvents, 0, number, sizeof(request.operation), 0};
  request.operation = operation;
  return send(socket, &request, sizeof(request), 0) == static_cast<ssize_t>(sizeof(request));
}

bool subscribe(int socket, uint32_t number) {
  Address address = {kNetlink, 0, 0, kGroupOfEvents};
  if (bind(socket, reinterpret_cast<struct sockaddr*>(&address), sizeof(address)) != 0) return false;
  if (setsockopt(socket, SOL_SOCKET, kQueueForce, &kQueue, sizeof(kQueue)) != 0) {
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &kQueue, sizeof(kQueue));
  }
  return request(socket, kListen, number);
}

struct Parts {
  MessageHead head;
  ConnectorHead connector;
  ForkEvent event;
};

bool parse(Span<const char> message, Parts* out) {
  if (message.size < sizeof(out->head) + sizeof(out->connector) + sizeof(out->event)) return false;
  memcpy(&out->head, message.data, sizeof(out->head));
  memcpy(&out->connector, message.data + sizeof(out->head), sizeof(out->connector));
  memcpy(&out->event, message.data + sizeof(out->head) + sizeof(out->connector), sizeof(out->event));
  return out->head.type == kDone && out->head.size <= message.size &&
         out->connector.index == kGroupOfEvents && out->connector.value == kGroupOfEvents &&
         out->connector.size >= sizeof(out->event);
}

// The next message of the kernel. Negative errno as recv(2) has it; 0 for somebody else's: other processes
// may send to the group as well.
ssize_t next_message(int socket, Span<char> space) {
  Address from = {};
  socklen_t size = sizeof(from);
  const ssize_t n =
      recvfrom(socket, space.data, space.size, 0, reinterpret_cast<struct sockaddr*>(&from), &size);
  if (n < 0) return -errno;
  return from.port == 0 ? n : 0;
}

struct Trial {
  uint32_t number;  // of our request
  pid_t child;
  Nanos began;
  bool permitted;
  bool told;
};

void judge(Trial* trial, Span<const char> message) {
  Parts parts;
  if (!parse(message, &parts)) return;
  // The answer's first number is an errno.
  const bool answer = parts.event.what == kNone && parts.connector.ack == trial->number + 1;
  if (answer && parts.event.parent_thread == 0) trial->permitted = true;
  Birth birth;
  if (!parse_birth(message, &birth) || birth.child != trial->child || birth.parent != getpid()) return;
  trial->told = birth.time >= trial->began && birth.time <= now();
}

// The kernel refuses a listener of another namespace without a word; but while others listen, it tells him as
// well, with numbers that are not his. And one of another time namespace would get times of another clock. So
// both count: its answer, and that a child of ours is told of as we know it. It tells before fork returns.
bool is_told(int socket, uint32_t number) {
  const Nanos began = now();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child < 0) return false;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  Trial trial{number, child, began, false, false};
  // Both are there by now, maybe behind what others have forked meanwhile.
  for (int count = 0; count < kMostAtOnce && !(trial.permitted && trial.told); count++) {
    char message[kMaxMessage];
    const ssize_t n = next_message(socket, Span<char>{message, sizeof(message)});
    if (n == -EINTR) continue;
    if (n < 0) return false;
    judge(&trial, Span<const char>{message, static_cast<size_t>(n)});
  }
  return trial.permitted && trial.told;
}

}  // namespace

bool parse_birth(Span<const char> message, Birth* out) {
  Parts parts;
  if (!parse(message, &parts)) return false;
  const ForkEvent& event = parts.event;
  // A new thread has its process's number; its own is another.
  if (event.what != kFork || event.child != event.child_thread || event.child <= 1) return false;
  *out = Birth{event.parent, event.child, static_cast<Nanos>(event.time)};
  return true;
}

UniqueFd open_process_events() {
  UniqueFd events(socket(kNetlink, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, kConnector));
  // Other listeners get answers too.
  const auto number = static_cast<uint32_t>(now() >> 1) | 1;
  if (!events.valid() || !subscribe(events.get(), number)) return UniqueFd();
  if (is_told(events.get(), number)) return events;
  close_process_events(&events);
  return UniqueFd();
}

void close_process_events(UniqueFd* events) {
  // Before Linux 6.6 the kernel went on counting a listener that had just closed its socket.
  if (events->valid()) request(events->get(), kIgnore, 0);
  events->reset();
}

bool read_births(int socket, VisitBirth visit, void* context) {
  char message[kMaxMessage];
  for (int count = 0; count < kMostAtOnce; count++) {
    const ssize_t n = next_message(socket, Span<char>{message, sizeof(message)});
    if (n == -EINTR) continue;
    if (n < 0) return n != -ENOBUFS;
    Birth birth;
    if (parse_birth(Span<const char>{message, static_cast<size_t>(n)}, &birth)) visit(context, birth);
  }
  return true;
}

}  // namespace procleash
