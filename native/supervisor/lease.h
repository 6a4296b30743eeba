// The keeper's end of the lease: takes frames from the host one at a time, queues the keeper's words to it.
// Broken once the host has ended, closed it, or sent what no host of ours sends.
#pragma once

#include "core/clock.h"
#include "core/wire.h"

namespace procleash {

class Lease {
 public:
  void open(int socket) { socket_ = UniqueFd(socket); }
  // Nobody listens any more.
  void close() { drop(nullptr); }
  // What came is not what a host of ours sends.
  void refuse() { drop("procleash keeper: lease: malformed frame\n"); }
  int socket() const { return socket_.get(); }
  bool broken() const { return !socket_.valid(); }
  // What poll(2) is to watch it for.
  short events() const;
  bool wants_to_write() const { return !broken() && out_size_ > 0 && !holds(); }

  // Until then what is said is kept, to go out with what follows: a host that is woken for each word takes
  // the processor from those that are about to end.
  void hold_until(Nanos time) { held_until_ = time; }
  // When what is kept is due.
  Nanos due() const { return out_size_ > 0 && holds() ? held_until_ : kNever; }

  struct Message {
    Frame type;
    Span<char> payload;  // valid until the next call of next()
  };

  // The next whole frame. False where none is there yet, or the lease is broken.
  bool next(Message* out);
  // The descriptors that came with the last spawn frame, in the order of the wire; the caller takes them.
  UniqueFd fds[kMaxFrameFds];
  int fd_count() const { return fd_count_; }

  // Sends now what fits, keeps the rest. False where it does not fit the buffer: the host reads nothing any
  // more.
  bool say(Frame type, Span<const char> payload);
  void flush();
  // Gives back the memory of a spawn request.
  void release_request();

 private:
  bool holds() const { return held_until_ > 0 && now() < held_until_; }
  void drop(const char* why);
  bool start_payload();
  ssize_t receive_into(char* data, size_t size);

  UniqueFd socket_;
  FrameHeader header_ = {};
  size_t header_have_ = 0;
  size_t payload_have_ = 0;
  char small_[kMaxControlPayload] = {};
  char* large_ = nullptr;
  size_t large_size_ = 0;
  bool started_ = false;
  bool spawn_seen_ = false;
  int fd_count_ = 0;
  size_t out_size_ = 0;
  Nanos held_until_ = 0;
};

}  // namespace procleash
