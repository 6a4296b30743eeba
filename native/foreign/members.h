// The members of a tree that we did not start: each with pid and start time, kept from the first look that
// shows it. A table sorted by pid. Descriptors are held for leaders of groups only, and few: they are the
// process's own.
#pragma once

#include "core/entry.h"
#include "core/features.h"
#include "core/kin.h"

namespace procleash {

constexpr size_t kMaxNever = 256;
// As many of the ended are named.
constexpr size_t kMaxNamed = 64;

struct Member {
  Process last;  // as the last picture with it showed it
  Escape escape = Escape::kNone;
  bool alive = true;
  bool asked = false;      // got the first signal
  bool frozen = false;     // got SIGSTOP, or was stopped already
  bool forbidden = false;  // a signal to it was refused
  bool past = false;       // had ended before the stop: not counted with it
  // Whether being in the session or group of this number still ties to the tree.
  bool ties_session = false;
  bool ties_group = false;
  // What the last picture shows of its group: one that is not of the tree, one alive, one dead.
  bool outsiders = false;
  bool group_shown = false;
  bool group_zombies = false;
  bool group_hit = false;  // its group got SIGKILL in this round
  int pidfd = -1;
  int name_slot = -1;
  uint32_t seen = 0;         // the last picture with it alive
  uint32_t session_use = 0;  // the last picture with a process of that session, of that group
  uint32_t group_use = 0;
};

struct ForeignTree {
  int proc = -1;
  Features features;
  pid_t root = 0;
  uint64_t root_start = 0;
  pid_t root_group = 0;
  pid_t root_session = 0;
  NoTie no_tie;
  pid_t never[kMaxNever] = {};
  size_t never_count = 0;

  Member* members = nullptr;  // sorted by pid, then by start
  size_t count = 0;
  size_t room = 0;
  uint32_t pictures = 0;
  size_t living = 0;
  // Groups of which the last picture shows nobody alive, while the kernel says that they are not empty: with
  // somebody who moves too fast to be seen; or maybe only with the zombies that the picture shows.
  size_t hidden_groups = 0;
  size_t zombie_groups = 0;
  int held_descriptors = 0;
  // The ticks of the first signal; whether the root's whole group got it.
  uint64_t asked_at = 0;
  bool asked_group = false;

  // Arguments of the first members, read while they lived.
  char (*names)[kMaxArgv] = nullptr;  // kMaxNamed of them, the owner's
  uint16_t name_sizes[kMaxNamed] = {};
  int named = 0;
  // False while members are only recorded: then no name is read.
  bool naming = true;

  Span<Member> found() const { return Span<Member>{members, count}; }
};

// The root's place. `proc`, `names` and the rest of the head are set. False without memory.
bool begin_tree(ForeignTree* t, const Process& root);
void free_tree(ForeignTree* t);
// Memory for so many members, so that none is asked for later. False without it.
bool reserve_members(ForeignTree* t, size_t room);

// The member of that number that was started last; numbers may come again within one tree.
Member* find_member(Span<Member> sorted, pid_t pid);
Member* find_member(const ForeignTree& t, pid_t pid);
// The root itself, whoever has its number now.
Member* find_root(const ForeignTree& t);

// Told by the descriptor that is held of it, so that no other is needed; false where none is held.
bool has_ended(const Member& m);

// Puts it where it belongs: places behind it move. Null without memory.
Member* add_member(ForeignTree* t, const Process& process, Escape escape);
// What a later look shows of it.
void see_again(ForeignTree* t, Member* m, const Process& process);
// The descriptor of a leader whose number ties nothing any more.
void let_go(ForeignTree* t, Member* m);

// A recorder's table would grow for ever: members that ended before the last picture and tie nothing go.
void forget_ended(ForeignTree* t);
// A stop of what was recorded begins: from here on, what ends is counted, and names are read.
void begin_counting(ForeignTree* t);

}  // namespace procleash
