// What a keeper knows of its tree: the command, the orphans it adopted, and those that ended in a stop.
// Finds, signals and reaps; decides nothing. All tables are static: a stop must not need memory.
#pragma once

#include <sys/resource.h>

#include "core/cgroup.h"
#include "core/clock.h"
#include "core/descendants.h"
#include "core/entry.h"
#include "core/features.h"
#include "core/own_children.h"
#include "core/signals.h"
#include "core/wire.h"

namespace procleash {

// A larger tree is still stopped (the kill phase needs no table); the first signal then misses some of it.
constexpr size_t kMaxTree = 65536;
constexpr size_t kMaxEnded = 64;
// Of so many of them the whole argv is read before the first signal; of the rest the name, where the picture
// has it or else when they are reaped.
constexpr size_t kMaxArgvRead = 16;

struct EndedProcess {
  Process process;
  Escape escape = Escape::kNone;
  StatusKind status_kind = StatusKind::kUnknown;
  int32_t status = 0;
  uint16_t argv_size = 0;
  char argv[kMaxArgv];
};

enum class Reaped { kSomeLeft, kEmpty };

struct Tree {
  pid_t keeper = 0;  // ourselves
  int proc = -1;
  OwnChildren own_children;
  UniqueFd loadavg;
  Features features;
  Leaf leaf;  // valid where the tree has a cgroup of its own
  GroupLeader leader;
  uint64_t leader_start = 0;
  int32_t leader_status = 0;  // as wait(2) gives it, once the leader is reaped
  Nanos leader_ended = 0;

  Descendants members;  // the picture that a stop works with, sorted by pid after its first signal
  Descendants current;  // a later picture: lists, survivors
  size_t living_at_stop = 0;
  bool stopping = false;  // from the first signal on, what ends is counted
  uint32_t ended_count = 0;
  size_t ended_size = 0;    // used places in ended[]
  size_t reaped_count = 0;  // in all
  size_t reaped_before_stop = 0;
  size_t reaped_living = 0;  // in the stop, without those that its picture showed as zombies
};

// The keeper's one tree and its tables.
extern Tree tree;
extern EndedProcess ended[kMaxEnded];

// Whether one group signal reaches the members of the group.
bool group_reachable(const Tree& t);

// With `group_at_once` the command's group will get one signal, and its members are left bare: nothing need
// be known of each. Who is outside it may be held: release the members once they have been signalled.
void look_for_stop(Tree* t, bool group_at_once);
void look_again(Tree* t);

// From here on, what ends is counted; remembers the argv of the first members, which can't be read after
// their end.
void begin_counting(Tree* t);

// The signals, in order, to each process of the picture once: to the group at once, then to everyone outside
// it.
void signal_members(Tree* t, const Descendants& picture, Span<const int> signals);

// One signal to the command's group and to nobody else.
void signal_command(Tree* t, int signal);

struct Hits {
  size_t seen;       // children of the keeper
  size_t newcomers;  // of them, those that no picture showed
};

// SIGKILL to the group and to each of the keeper's own children. Orphans come up to the keeper, so that
// rounds of this collapse any tree that does not fork faster; an unreaped child's number can't have been
// reused. With a cgroup, to all of that first.
Hits kill_round(Tree* t);

// For a tree that forks, perhaps faster than rounds can kill it: all of it is stopped, then killed.
void freeze_round(Tree* t);

// SIGKILL to each process that can be seen now, each proved. For those that no round comes to: what is below
// a process that can't be killed never becomes the keeper's child.
void kill_seen(Tree* t);

// Takes every status that waits. kEmpty is the kernel's word (ECHILD) that a subreaper has no descendant
// left.
Reaped reap(Tree* t);

}  // namespace procleash
