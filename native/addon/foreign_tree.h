// The members of a tree that we did not start: each with pid and start time, kept from the first picture that
// shows it until its end. Grows with every picture. Signals only what it has proved again right before.
// Descriptors are held for leaders of groups only, and few: they are the host's own.
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
  bool forbidden = false;  // a signal to it was refused
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
  char (*names)[kMaxArgv] = nullptr;
  uint16_t name_sizes[kMaxNamed] = {};
  int named = 0;

  Span<Member> found() const { return Span<Member>{members, count}; }
};

// The root's place. `proc`, root and the rest of the head are set. False without memory.
bool begin_tree(ForeignTree* t, const Process& root);
void free_tree(ForeignTree* t);

// Takes a whole picture in: who is gone, who is new. Gives the number of new members.
size_t take_in(ForeignTree* t, Span<Process> scan);

// The first signal, and SIGCONT after it: once to each member, to the root's group as one where only members
// are in it.
void ask_members(ForeignTree* t, int signal);
// The same for those that the pictures before the signal had missed. What was started since is left alone: it
// may be there because of the signal.
void ask_missed(ForeignTree* t, int signal);

// SIGKILL to every group that a member leads and that holds only members, then to each member that is left;
// `thorough`: to all of them, also where their group got it. Gives how many were hit.
size_t kill_members(ForeignTree* t, bool thorough);

// SIGKILL to the groups of which the picture shows nothing but zombies.
void kill_zombie_groups(ForeignTree* t);

}  // namespace procleash
