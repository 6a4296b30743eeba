// The messages between host, supervisor and keeper: frames on stream sockets, each with a length, a version
// and a bound. Both ends run on one machine, so numbers travel in its byte order and structs as they lie in
// memory. Decoders are pure functions over untrusted bytes: what does not fit is refused, never read past.
#pragma once

#include "core/base.h"
#include "core/rights.h"
#include "core/unique_fd.h"

#ifndef PROCLEASH_VERSION
#error "PROCLEASH_VERSION comes from package.json, by the build"
#endif

namespace procleash {

constexpr uint16_t kWireVersion = 3;
// Linux takes at most 6 MiB of arguments and environment (fs/exec.c, 3/4 of _STK_LIM): more can't be a
// command.
constexpr uint32_t kMaxSpawnPayload = 8U << 20;
constexpr uint32_t kMaxControlPayload = 64;
// What a keeper may send in one frame.
constexpr uint32_t kMaxReportPayload = 64U << 10;
constexpr int kMaxFrameFds = 4;

enum class Frame : uint16_t {
  // host -> supervisor, with the keeper's end of a lease
  kFork = 1,
  kWatch = 2,  // no command: this keeper is to record a tree that somebody else has started
  // host -> keeper
  kSpawn = 16,
  kStop = 17,
  kSignal = 18,
  kInspect = 19,
  kDrained = 20,
  kRelease = 21,  // a watcher is to leave its tree alone from here on
  // keeper -> host; the numbers are those that JavaScript knows
  kStarted = 64 + 1,
  kFailed = 64 + 2,
  kExited = 64 + 3,
  kStopping = 64 + 4,
  kSettled = 64 + 5,
  kProcesses = 64 + 6,
  kReady = 64 + 7,
  kEscalating = 64 + 8,
  kRecording = 64 + 9,
  // reactor -> JavaScript: dead children that nobody has claimed yet
  kOrphans = 64 + 10,
};

// The host's library and its keeper are of one version: a keeper of another one refuses.
constexpr size_t kVersionSize = 16;
void put_version(char (&out)[kVersionSize]);
bool is_our_version(const char (&version)[kVersionSize]);

struct FrameHeader {
  uint32_t size;  // of the payload
  uint16_t version;
  uint16_t type;
};
static_assert(sizeof(FrameHeader) == 8, "part of the wire format");

enum class Reason : uint8_t {
  kExit = 0,
  kStop = 1,
  kAbort = 2,
  kTimeout = 3,
  kOwnerReleased = 4,
  kLeaseLost = 5,
  kSupervisorLost = 6,
};
constexpr uint8_t kReasons = 7;

enum class Proof : uint8_t { kNone = 0, kSubreaper = 1, kCgroup = 2, kSnapshot = 3 };
enum class Outcome : uint8_t { kEmpty = 0, kSurvivors = 1 };
enum class SurvivorReason : uint8_t { kNone = 0, kPermission = 1, kUninterruptible = 2, kNamespace = 3 };
enum class StatusKind : uint8_t { kUnknown = 0, kExited = 1, kSignalled = 2 };

// Descriptors that a spawn frame carries, in this order.
constexpr uint32_t kFdStdin = 1;
constexpr uint32_t kFdStdout = 2;
constexpr uint32_t kFdStderr = 4;
constexpr uint32_t kFdDirectory = 8;

constexpr uint32_t kFlagKeepLeftovers = 1;

// Followed by NUL-ended strings: file, working directory (empty: the directory descriptor alone), path of the
// tree's own cgroup (empty: none), arguments, environment.
struct SpawnHead {
  int64_t requested;  // ns, CLOCK_MONOTONIC
  int64_t timeout;    // ns, or -1
  int64_t budget;     // ns
  int32_t stop_signal;
  uint32_t flags;
  uint32_t argc;
  uint32_t envc;
  uint32_t fds;  // mask of kFd...
  uint32_t padding;
  int64_t memory;     // limits of the cgroup; -1: none. Bytes
  int64_t processes;  // threads count
  int64_t cpu;        // us in each kCpuPeriod
  char version[kVersionSize];
  Rights rights;
};
static_assert(sizeof(SpawnHead) == 368, "part of the wire format");

constexpr uint32_t kFlagKeepAtHostDeath = 2;

struct WatchPayload {
  int64_t start;   // ticks: which process is meant
  int64_t budget;  // ns
  int32_t pid;
  int32_t stop_signal;
  // The host's own, which tie nothing to the tree.
  int32_t group;
  int32_t session;
  uint32_t flags;
  uint32_t padding;
  char version[kVersionSize];
};
static_assert(sizeof(WatchPayload) == 56, "part of the wire format");

struct StopPayload {
  int64_t requested;
  int64_t budget;
  uint8_t reason;
  uint8_t padding[7];
};
static_assert(sizeof(StopPayload) == 24, "part of the wire format");

// Where the strings of a spawn payload lie. The caller brings room for the pointers: argc + envc + 2.
struct SpawnRequest {
  SpawnHead head;
  const char* file = nullptr;
  const char* cwd = nullptr;
  const char* cgroup = nullptr;
  char** argv = nullptr;
  char** envp = nullptr;
};

// How many pointers decode_spawn needs; 0 where the payload can't be a request.
size_t spawn_pointers(Span<char> payload);
bool decode_spawn(Span<char> payload, Span<char*> pointers, SpawnRequest* out);
bool decode_stop(Span<const char> payload, StopPayload* out);
bool decode_signal(Span<const char> payload, int32_t* out);
bool decode_inspect(Span<const char> payload, uint32_t* out);
bool is_valid(const WatchPayload& watch);

// Sends a frame in one message, never blocks, raises no SIGPIPE. Gives the bytes that the socket took, or
// -errno.
ssize_t send_frame(int socket, Frame type, Span<const char> payload, Span<const int> fds);

// What a socket that took `sent` bytes of a frame still has to get, copied to `out` (room for the whole
// frame). Gives the number of bytes.
size_t copy_unsent(Frame type, Span<const char> payload, size_t sent, char* out);

// One recvmsg: bytes into the buffer, descriptors (CLOEXEC) into fds. 0: end of file. -errno on failure.
// -EMFILE where more descriptors came than a frame may have, or than this process has room for (the kernel
// closes those, MSG_CTRUNC). -EMSGSIZE where a packet was longer than the buffer.
struct Received {
  ssize_t bytes = 0;
  int fd_count = 0;
};
Received receive(int socket, Span<char> buffer, int fds[kMaxFrameFds]);

// Whether nobody has the other end of a socket or pipe any more. What was said last may still be read.
bool peer_gone(int descriptor);

// What a settlement has before its lists: outcome, reason, proof, escalation; elapsed, usage; three counts.
constexpr size_t kSettledHead = 4 + 4 * sizeof(double) + sizeof(uint32_t) + 2 * sizeof(uint16_t);

// The payload of kFailed, and its size.
constexpr size_t kFailedPayload = sizeof(int32_t) + sizeof(uint8_t);
void pack_failed(int number, uint8_t step, char out[kFailedPayload]);

// Writes numbers and bytes one after the other into a bounded buffer; past the bound it only remembers that.
class Packer {
 public:
  explicit Packer(Span<char> space) : space_(space) {}
  template <typename T>
  void put(T value) {
    bytes(&value, sizeof(value));
  }
  void bytes(const void* data, size_t size);
  size_t size() const { return size_; }
  bool overflowed() const { return overflowed_; }
  // Replaces a number that was put before, for example a count.
  template <typename T>
  void patch(size_t at, T value) {
    __builtin_memcpy(space_.data + at, &value, sizeof(value));
  }
  void truncate(size_t size) { size_ = size; }

 private:
  Span<char> space_;
  size_t size_ = 0;
  bool overflowed_ = false;
};

}  // namespace procleash
