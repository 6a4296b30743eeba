// The processes below the host, as one look after the other shows them, and what the looks tell of where each
// came from. Sends nothing, reaps nothing.
#pragma once

#include "foreign/snapshot.h"

namespace procleash {

enum class Origin : uint8_t {
  kElsewhere,  // the child of another process
  kUnclear,    // ours: started by the runtime, or come up unseen
  kOrphan,     // ours, and come up to us
};

// A process below the host, from the first look that shows it.
struct Relative {
  pid_t pid;
  uint64_t start;
  Origin origin;
  bool dead;
  uint8_t missed;  // looks in a row that did not show it
  uint8_t turns;   // of the event loop, since it was seen dead and unclear
  Nanos dead_since;
};

// All zero but for the descriptor, and the sessions that tell nothing.
struct Relatives {
  int proc;
  bool lists;  // /proc has lists of children
  pid_t session;
  Relative* table;  // sorted by pid
  size_t count;
  size_t room;
  Relative* spare;  // for the next look
  size_t spare_room;
  Snapshot snapshot;
};

// Reads /proc. `supervisor`: whose children are left out, with all below them: it comes up to them.
void take_picture(Relatives* relatives, pid_t supervisor);
// Takes the picture into the table. Gives whether anything has changed.
bool take_in_picture(Relatives* relatives);
// Still the dead child of ours that a look has shown: then its number is nobody else's until it is reaped.
bool is_still(const Relatives& relatives, const Relative& relative);
void free_relatives(Relatives* relatives);

}  // namespace procleash
