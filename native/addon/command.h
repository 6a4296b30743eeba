// What the host holds of one command: its lease, its pipes, what waits for JavaScript. Owned by the reactor;
// every field is guarded by the reactor's lock.
#pragma once

#include <sys/types.h>

#include "addon/collector.h"
#include "core/clock.h"
#include "core/unique_fd.h"
#include "core/wire.h"

namespace procleash {

// A message of the keeper that JavaScript has not fetched yet.
struct PendingMessage {
  PendingMessage* next;
  uint32_t size;
  char data[];
};

// One of the command's outputs, on our side of the pipe.
struct OutputStream {
  int fd = -1;
  uint64_t credit = 0;    // bytes that JavaScript has room for
  bool readable = false;  // epoll said so, and no read has come back empty since
  bool ended = true;      // END was told
  bool cancelled = false;
  Collector* collector = nullptr;  // run(): read here, not by JavaScript
};

// Bytes for standard input that the pipe did not take at once.
struct InputChunk {
  InputChunk* next;
  size_t size;
  size_t written;
  char data[];
};

struct InputStream {
  int fd = -1;
  InputChunk* first = nullptr;
  InputChunk* last = nullptr;
  bool close_when_written = false;
  bool ended = true;
};

enum class Phase : uint8_t {
  kStarting,  // the request is on its way
  kRunning,
  kDraining,  // the command has ended, its pipes are still read
  kDrained,   // told to keeper and JavaScript
  kLost,      // the keeper died without its last word: sweeping
  kForeign,   // no command of ours: the channel of a job of foreign_jobs.cc
  kSettled,   // the tree has ended, or nothing was started
};

// What starts the command, and the descriptors that it gets: kept until its keeper is ready.
struct Request {
  char* payload = nullptr;
  size_t size = 0;
  int fds[kMaxFrameFds] = {};
  size_t fd_count = 0;
};

struct Command {
  uint32_t handle = 0;
  Phase phase = Phase::kStarting;
  bool stopping = false;
  bool forgotten = false;
  bool closed = false;  // CLOSED was told
  bool started = false;
  bool exited = false;
  bool watches = false;   // no command: its keeper is a watcher
  bool released = false;  // a watcher that was told to leave its tree alone
  uint64_t start = 0;     // of the watched process, in ticks
  bool sent_again = false;
  int lease = -1;
  Request request;

  // Incoming frame.
  FrameHeader header = {};
  size_t header_have = 0;
  char* payload = nullptr;
  size_t payload_have = 0;

  // What the lease did not take at once.
  char* unsent = nullptr;
  size_t unsent_size = 0;
  size_t unsent_at = 0;

  PendingMessage* first_message = nullptr;
  PendingMessage* last_message = nullptr;

  InputStream input;
  OutputStream output[2];
  int spill = -1;
  int spill_error = 0;

  // The drain after the command's end.
  Nanos idle_until = kNever;
  Nanos drain_until = kNever;

  // For the sweep, should the keeper be lost.
  pid_t pid = 0;
  uint64_t id = 0;
  char* leaf = nullptr;  // path of the tree's cgroup, where it has one
  Nanos budget = 0;
  Nanos lost_at = 0;
  Nanos next_sweep = kNever;  // after the settlement too, where it could not look
  int empty_sweeps = 0;
  uint32_t swept = 0;

  Command* next_timed = nullptr;
  bool timed = false;
};

}  // namespace procleash
