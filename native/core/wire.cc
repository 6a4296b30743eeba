#include "core/wire.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace procleash {
namespace {

// The next NUL-ended string, or null where none ends inside the payload.
char* take_string(Span<char> payload, size_t* at) {
  char* start = payload.data + *at;
  auto* end = static_cast<char*>(memchr(start, '\0', payload.size - *at));
  if (end == nullptr) return nullptr;
  *at += static_cast<size_t>(end - start) + 1;
  return start;
}

bool read_head(Span<char> payload, SpawnHead* head) {
  if (payload.size < sizeof(*head)) return false;
  memcpy(head, payload.data, sizeof(*head));
  // Each string takes at least its NUL, so that the counts can't exceed the bytes.
  uint64_t strings = static_cast<uint64_t>(head->argc) + head->envc + 3;
  if (strings > payload.size - sizeof(*head)) return false;
  if (head->memory < -1 || head->processes < -1 || head->cpu < -1) return false;
  if (!is_valid(head->rights)) return false;
  if (head->requested < 0 || head->timeout < -1) return false;
  return head->argc > 0 && head->budget >= 0 && head->stop_signal > 0 && head->stop_signal <= 64;
}

}  // namespace

void put_version(char (&out)[kVersionSize]) {
  memcpy(out, PROCLEASH_VERSION, min(sizeof(PROCLEASH_VERSION), kVersionSize));
}

bool is_our_version(const char (&version)[kVersionSize]) {
  return strncmp(version, PROCLEASH_VERSION, kVersionSize) == 0;
}

size_t spawn_pointers(Span<char> payload) {
  SpawnHead head;
  return read_head(payload, &head) ? static_cast<size_t>(head.argc) + head.envc + 2 : 0;
}

bool decode_spawn(Span<char> payload, Span<char*> pointers, SpawnRequest* out) {
  if (!read_head(payload, &out->head)) return false;
  if (pointers.size < static_cast<size_t>(out->head.argc) + out->head.envc + 2) return false;
  size_t at = sizeof(SpawnHead);
  out->file = take_string(payload, &at);
  if (out->file == nullptr || out->file[0] == '\0') return false;
  out->cwd = take_string(payload, &at);
  if (out->cwd == nullptr) return false;
  out->cgroup = take_string(payload, &at);
  if (out->cgroup == nullptr) return false;
  char** next = pointers.data;
  out->argv = next;
  for (uint32_t i = 0; i < out->head.argc; i++) {
    *next = take_string(payload, &at);
    if (*next++ == nullptr) return false;
  }
  *next++ = nullptr;
  out->envp = next;
  for (uint32_t i = 0; i < out->head.envc; i++) {
    *next = take_string(payload, &at);
    if (*next++ == nullptr) return false;
  }
  *next = nullptr;
  return at == payload.size;
}

bool decode_stop(Span<const char> payload, StopPayload* out) {
  if (payload.size != sizeof(*out)) return false;
  memcpy(out, payload.data, sizeof(*out));
  return out->reason < kReasons && out->requested >= 0 && out->budget >= 0;
}

bool decode_signal(Span<const char> payload, int32_t* out) {
  if (payload.size != sizeof(*out)) return false;
  memcpy(out, payload.data, sizeof(*out));
  return *out > 0 && *out <= 64;
}

bool decode_inspect(Span<const char> payload, uint32_t* out) {
  if (payload.size != sizeof(*out)) return false;
  memcpy(out, payload.data, sizeof(*out));
  return true;
}

bool is_valid(const WatchPayload& watch) {
  return watch.pid > 1 && watch.start >= 0 && watch.budget >= 0 && watch.stop_signal > 0 &&
         watch.stop_signal <= 64;
}

ssize_t send_frame(int socket, Frame type, Span<const char> payload, Span<const int> fds) {
  FrameHeader header{static_cast<uint32_t>(payload.size), kWireVersion, static_cast<uint16_t>(type)};
  struct iovec parts[2] = {{&header, sizeof(header)}, {const_cast<char*>(payload.data), payload.size}};
  alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFrameFds)] = {};
  struct msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  if (fds.size > 0) {
    const size_t size = sizeof(int) * fds.size;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(size);
    struct cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(part), fds.data, size);
  }
  for (;;) {
    ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) return n;
    if (errno != EINTR) return -errno;
  }
}

size_t copy_unsent(Frame type, Span<const char> payload, size_t sent, char* out) {
  const FrameHeader header{static_cast<uint32_t>(payload.size), kWireVersion, static_cast<uint16_t>(type)};
  const Span<const char> parts[2] = {{reinterpret_cast<const char*>(&header), sizeof(header)}, payload};
  size_t copied = 0;
  for (const Span<const char>& part : parts) {
    const size_t skip = min(sent, part.size);
    sent -= skip;
    if (skip == part.size) continue;
    memcpy(out + copied, part.data + skip, part.size - skip);
    copied += part.size - skip;
  }
  return copied;
}

Received receive(int socket, Span<char> buffer, int fds[kMaxFrameFds]) {
  Received received;
  struct iovec part = {buffer.data, buffer.size};
  alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxFrameFds)];
  struct msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  do {
    received.bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (received.bytes < 0 && errno == EINTR);
  if (received.bytes < 0) {
    received.bytes = -errno;
    return received;
  }
  for (struct cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int fd = -1;
      memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      if (received.fd_count < kMaxFrameFds) {
        fds[received.fd_count++] = fd;
      } else {
        close(fd);
      }
    }
  }
  const bool cut = (message.msg_flags & MSG_TRUNC) != 0;
  if (cut || (message.msg_flags & MSG_CTRUNC) != 0) {
    for (int i = 0; i < received.fd_count; i++) close(fds[i]);
    received.fd_count = 0;
    received.bytes = cut ? -EMSGSIZE : -EMFILE;
  }
  return received;
}

void pack_failed(int number, uint8_t step, char out[kFailedPayload]) {
  auto value = static_cast<int32_t>(number);
  memcpy(out, &value, sizeof(value));
  out[sizeof(value)] = static_cast<char>(step);
}

void Packer::bytes(const void* data, size_t size) {
  if (size > space_.size - size_) {
    overflowed_ = true;
    return;
  }
  memcpy(space_.data + size_, data, size);
  size_ += size;
}

bool peer_gone(int descriptor) {
  struct pollfd look = {descriptor, 0, 0};
  return poll(&look, 1, 0) > 0 && (look.revents & POLLHUP) != 0;
}

}  // namespace procleash
