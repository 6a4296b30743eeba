// One thread for each JavaScript environment: reads what the keepers say and the commands write, keeps the
// drain's clock, sweeps after a lost keeper. JavaScript calls in from its own thread; the lock guards
// everything shared. Never waits for JavaScript, never waits while it holds the lock.
#pragma once

#include <node_api.h>
#include <pthread.h>

#include "addon/cgroups.h"
#include "addon/command.h"
#include "core/spawn.h"

namespace procleash {

struct ForeignJobs;
struct Orphans;

enum class Record : int32_t { kData = 1, kEnd = 2, kMessage = 3, kWritten = 4, kDrained = 5, kClosed = 6 };

constexpr size_t kRecordInts = 4;
constexpr size_t kMaxSlots = 64;
constexpr size_t kScratch = 256U << 10;
constexpr uint32_t kMaxCommands = 1U << 16;

struct Reactor {
  pthread_mutex_t lock;
  pthread_t thread;
  bool running;
  bool quit;
  int epoll;
  int wake;  // eventfd

  // JavaScript's side.
  napi_env env;
  napi_ref slab_reference;
  napi_ref wake_callback;
  napi_threadsafe_function notify;
  bool notified;         // a call of the callback is on its way
  Nanos notified_again;  // when it is made once more, should it have been lost

  char* helper;
  bool helper_or_memory;
  char* disabled;  // PROCLEASH_DISABLE: read once, as JavaScript may change the environment while we read it
  int helper_watch;      // -1: none
  pid_t watched_helper;  // the last supervisor that this reactor has come to watch

  char* slab;
  size_t slot_size;
  size_t slot_count;
  uint64_t free_slots;  // a bit for each

  int32_t* records;  // a ring
  size_t records_room;
  size_t records_first;
  size_t records_count;

  Cgroups* cgroups;  // null until asked for

  Command** commands;  // by the lower 16 bits of the handle
  uint32_t commands_room;
  uint32_t next_generation;

  // Streams may wait for credit or slots although their pipe is readable.
  bool look_at_streams;
  bool started_one;  // a command has started since the thread slept
  Command* timed;
  ForeignJobs* foreign;  // null until there was one
  Orphans* orphans;      // null unless the host is to reap them
  char* scratch;         // of kScratch bytes
};

class Lock {
 public:
  explicit Lock(Reactor* r) : r_(r) { pthread_mutex_lock(&r_->lock); }
  ~Lock() { pthread_mutex_unlock(&r_->lock); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Reactor* r_;
};

// 0, or the errno.
int start_reactor(Reactor* r);
// Ends the thread, closes every lease: the trees of this environment are stopped by their keepers.
void stop_reactor(Reactor* r);
// All but the struct itself, which the environment may still name.
void free_reactor_memory(Reactor* r);

// The rest: the caller holds the lock.
int watch(Reactor* r, Command* c, uint32_t what, int fd, uint32_t events);
void wake_thread(Reactor* r);
// Has the thread look at all streams: one may go on although its pipe gave no event.
void wake_for_streams(Reactor* r);
// So that a supervisor that ends leaves no zombie: every reactor that uses it watches it.
void watch_helper(Reactor* r);
void set_timed(Reactor* r, Command* c);

// commands.cc
Command* find_command(Reactor* r, uint32_t handle);
// Null where there is no memory or no place.
Command* add_command(Reactor* r);
void free_command(Reactor* r, Command* c);

// records.cc
void push_record(Reactor* r, Record type, uint32_t handle, int32_t a, int32_t b);
void push_message(Reactor* r, Command* c, Frame type, Span<const char> payload);
// The oldest ones, as many as fit: how many.
size_t take_records(Reactor* r, Span<int32_t> out);
// The oldest one, which the caller frees, or null.
PendingMessage* take_message(Command* c);
// Whether JavaScript has to be woken: once for all the records that wait.
bool wants_notice(Reactor* r);
// When to do so once more.
Nanos notice_deadline(const Reactor& r);
// Without the lock: the runtime takes locks of its own here, and holds them while it calls us on its thread.
void notify_javascript(Reactor* r);

// streams.cc
constexpr uint32_t kWatchLease = 0;
constexpr uint32_t kWatchOut = 1;  // and 2
constexpr uint32_t kWatchIn = 3;
void read_output(Reactor* r, Command* c, int index);
void end_output(Reactor* r, Command* c, int index, int error);
// False without memory.
bool queue_input(InputStream* input, Span<const uint8_t> bytes);
void free_input(InputStream* input);
void flush_input(Reactor* r, Command* c);
void end_input(Reactor* r, Command* c, int error);
bool outputs_ended(const Command& c);
void finish_streams(Reactor* r, Command* c);

// conversation.cc
void take_frame(Reactor* r, Command* c, Frame type, Span<const char> payload);
void note_activity(Command* c);
void check_drained(Reactor* r, Command* c);
void run_command_timers(Reactor* r, Command* c, Nanos time);
Nanos command_deadline(const Command& c);
void close_if_done(Reactor* r, Command* c);
// The keeper is gone or not to be relied on: from here on the reactor looks for its tree itself.
void lose_keeper(Reactor* r, Command* c);
void fail_command(Reactor* r, Command* c, int number, SpawnStep step, Span<const char> detail);

// sweep.cc
// One look over /proc for what a lost keeper left, SIGKILL to each that is proved ours. Reports when nothing
// is left.
void sweep(Reactor* r, Command* c);
// A keeper that was lost before anything had started.
void fail_lost(Reactor* r, Command* c);

}  // namespace procleash
