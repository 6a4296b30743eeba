#include "supervisor/lease.h"

#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "core/spawn.h"

namespace procleash {
namespace {

// Room for a settlement and more. Static, so that the last word never needs memory.
char out_buffer[160U << 10];

uint32_t bound_of(uint16_t type) {
  switch (static_cast<Frame>(type)) {
    case Frame::kSpawn:
      return kMaxSpawnPayload;
    case Frame::kStop:
    case Frame::kSignal:
    case Frame::kInspect:
    case Frame::kDrained:
    case Frame::kRelease:
      return kMaxControlPayload;
    default:
      return 0;
  }
}

bool known_type(uint16_t type) {
  return type >= static_cast<uint16_t>(Frame::kSpawn) && type <= static_cast<uint16_t>(Frame::kRelease);
}

}  // namespace

void Lease::drop(const char* why) {
  if (why != nullptr) {
    // Descriptor 2 is /dev/null unless somebody debugs the helper.
    ssize_t ignored = write(2, why, strlen(why));
    (void)ignored;
  }
  socket_.reset();
  for (UniqueFd& fd : fds) fd.reset();
  out_size_ = 0;
}

short Lease::events() const { return static_cast<short>(POLLIN | (wants_to_write() ? POLLOUT : 0)); }

ssize_t Lease::receive_into(char* data, size_t size) {
  int got[kMaxFrameFds];
  Received received = receive(socket_.get(), Span<char>{data, size}, got);
  for (int i = 0; i < received.fd_count; i++) {
    UniqueFd fd(got[i]);
    if (fd_count_ < kMaxFrameFds) fds[fd_count_++] = move(fd);
  }
  if (received.bytes == -EAGAIN) return -EAGAIN;
  if (received.bytes == -EMFILE) {
    char payload[kFailedPayload];
    pack_failed(EMFILE, static_cast<uint8_t>(SpawnStep::kStdio), payload);
    say(Frame::kFailed, Span<const char>{payload, sizeof(payload)});
  }
  if (received.bytes > 0) return received.bytes;
  drop(received.bytes == 0 ? nullptr : "procleash keeper: lease: receiving failed\n");
  return 0;
}

bool Lease::start_payload() {
  bool spawn = header_.type == static_cast<uint16_t>(Frame::kSpawn);
  bool known =
      header_.version == kWireVersion && known_type(header_.type) && header_.size <= bound_of(header_.type);
  // One command for each keeper, and descriptors only with it.
  if (!known || (spawn && spawn_seen_) || (!spawn && fd_count_ > 0)) {
    refuse();
    return false;
  }
  started_ = true;
  payload_have_ = 0;
  if (!spawn) return true;
  spawn_seen_ = true;
  // The pointers to the strings lie behind them: one more than every string has bytes is always enough.
  large_size_ = header_.size + (static_cast<size_t>(header_.size) + 4) * sizeof(char*);
  void* memory =
      mmap(nullptr, large_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    drop("procleash keeper: lease: no memory for a request\n");
    return false;
  }
  large_ = static_cast<char*>(memory);
  return true;
}

bool Lease::next(Message* out) {
  while (!broken()) {
    if (!started_) {
      ssize_t n =
          receive_into(reinterpret_cast<char*>(&header_) + header_have_, sizeof(header_) - header_have_);
      if (n <= 0) return false;
      header_have_ += static_cast<size_t>(n);
      if (header_have_ == sizeof(header_) && !start_payload()) return false;
      continue;
    }
    const bool spawn = header_.type == static_cast<uint16_t>(Frame::kSpawn);
    char* space = spawn ? large_ : small_;
    if (payload_have_ < header_.size) {
      ssize_t n = receive_into(space + payload_have_, header_.size - payload_have_);
      if (n <= 0) return false;
      payload_have_ += static_cast<size_t>(n);
      continue;
    }
    if (!spawn && fd_count_ > 0) {
      refuse();
      return false;
    }
    started_ = false;
    header_have_ = 0;
    *out = Message{static_cast<Frame>(header_.type), Span<char>{space, header_.size}};
    return true;
  }
  return false;
}

void Lease::release_request() {
  if (large_ != nullptr) munmap(large_, large_size_);
  large_ = nullptr;
  for (UniqueFd& fd : fds) fd.reset();
  fd_count_ = 0;
}

bool Lease::say(Frame type, Span<const char> payload) {
  if (broken()) return false;
  size_t sent = 0;
  const size_t whole = sizeof(FrameHeader) + payload.size;
  if (out_size_ == 0 && !holds()) {
    ssize_t n = send_frame(socket_.get(), type, payload, Span<const int>{});
    if (n < 0 && n != -EAGAIN) {
      drop(nullptr);
      return false;
    }
    if (n > 0) sent = static_cast<size_t>(n);
    if (sent == whole) return true;
  }
  if (whole - sent > sizeof(out_buffer) - out_size_) {
    // A frame must be whole: without room for its rest the stream can't go on.
    if (sent > 0) drop("procleash keeper: lease: the host does not read\n");
    return false;
  }
  out_size_ += copy_unsent(type, payload, sent, out_buffer + out_size_);
  return true;
}

void Lease::flush() {
  while (wants_to_write()) {
    ssize_t n = send(socket_.get(), out_buffer, out_size_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) drop(nullptr);
    if (n <= 0) return;
    out_size_ -= static_cast<size_t>(n);
    memmove(out_buffer, out_buffer + n, out_size_);
  }
}

}  // namespace procleash
