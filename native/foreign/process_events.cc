#include "foreign/process_events.h"

#include <errno.h>
#include <poll.h>
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
constexpr int kPatienceMs = 100;
constexpr int kMostAtOnce = 10'000;
constexpr int kQueueForce = 33;  // SO_RCVBUFFORCE, with CAP_NET_ADMIN

bool subscribe(int socket) {
  Address address = {kNetlink, 0, 0, kGroupOfEvents};
  if (bind(socket, reinterpret_cast<struct sockaddr*>(&address), sizeof(address)) != 0) return false;
  if (setsockopt(socket, SOL_SOCKET, kQueueForce, &kQueue, sizeof(kQueue)) != 0) {
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &kQueue, sizeof(kQueue));
  }
  Request request = {};
  request.head = {sizeof(request), kDone, 0, 0, 0};
  request.connector = {kGroupOfEvents, kGroupOfEvents, 0, 0, sizeof(request.operation), 0};
  request.operation = kListen;
  return send(socket, &request, sizeof(request), 0) == static_cast<ssize_t>(sizeof(request));
}

struct Trial {
  pid_t child;
  Nanos began;
  bool told;
};

// A kernel that refuses a listener of another namespace does so without a word. One of another time namespace
// would get times that are not of our clock.
bool is_told(int socket) {
  const Nanos began = now();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child < 0) return false;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  Trial trial{child, began, false};
  struct pollfd wait = {socket, POLLIN, 0};
  while (!trial.told && poll(&wait, 1, kPatienceMs) > 0) {
    const bool whole = read_births(
        socket,
        [](void* context, const Birth& birth) {
          auto* t = static_cast<Trial*>(context);
          const bool ours = birth.child == t->child && birth.parent == getpid();
          t->told = t->told || (ours && birth.time >= t->began && birth.time <= now());
        },
        &trial);
    if (!whole) return false;
  }
  return trial.told;
}

}  // namespace

bool parse_birth(Span<const char> message, Birth* out) {
  MessageHead head;
  ConnectorHead connector;
  ForkEvent event;
  if (message.size < sizeof(head) + sizeof(connector) + sizeof(event)) return false;
  memcpy(&head, message.data, sizeof(head));
  memcpy(&connector, message.data + sizeof(head), sizeof(connector));
  memcpy(&event, message.data + sizeof(head) + sizeof(connector), sizeof(event));
  if (head.type != kDone || head.size > message.size || connector.size < sizeof(event)) return false;
  if (connector.index != kGroupOfEvents || connector.value != kGroupOfEvents) return false;
  // A new thread has its process's number; its own is another.
  if (event.what != kFork || event.child != event.child_thread || event.child <= 1) return false;
  *out = Birth{event.parent, event.child, static_cast<Nanos>(event.time)};
  return true;
}

UniqueFd open_process_events() {
  UniqueFd events(socket(kNetlink, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, kConnector));
  if (!events.valid() || !subscribe(events.get()) || !is_told(events.get())) return UniqueFd();
  return events;
}

bool read_births(int socket, VisitBirth visit, void* context) {
  char message[512];
  for (int count = 0; count < kMostAtOnce; count++) {
    Address from = {};
    socklen_t size = sizeof(from);
    const ssize_t n =
        recvfrom(socket, message, sizeof(message), 0, reinterpret_cast<struct sockaddr*>(&from), &size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno != ENOBUFS;
    Birth birth;
    // Other processes may send to the group as well: only the kernel is believed.
    if (from.port != 0 || !parse_birth(Span<const char>{message, static_cast<size_t>(n)}, &birth)) continue;
    visit(context, birth);
  }
  return true;
}

}  // namespace procleash
