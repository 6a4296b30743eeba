// Keeps the members of a tree that we did not start while it runs, each with pid and start time, so that they
// are still known once their parents are gone. Records by the kernel's process events where they are to be
// had, else by looking: often at the lists of children, which cost what the tree costs, and seldom at a whole
// picture, which costs what the system does. Sends nothing.
#pragma once

#include "foreign/foreign_tree.h"
#include "foreign/snapshot.h"

namespace procleash {

// Part of the protocol: JavaScript knows them by these numbers.
enum class Recording : uint8_t { kPolling = 0, kEvents = 1 };

struct Recorder {
  ForeignTree* tree = nullptr;
  Snapshot* snapshot = nullptr;
  UniqueFd events;  // not valid: polling
  Nanos gap = 0;
  Nanos next_look = 0;
  Nanos next_picture = 0;
  uint32_t births = 0;  // members that the events have told of
  // In a stop's kill phase: somebody who is new gets SIGKILL at once.
  bool kill_new = false;

  Recording recording() const { return events.valid() ? Recording::kEvents : Recording::kPolling; }
};

// The tree has its root, the snapshot its memory. `try_events`: false leaves them out.
void open_recorder(Recorder* r, bool try_events);

// The next look, or picture, if one is due; gives the time of the next.
Nanos step_recorder(Recorder* r);

// A whole picture now: what a process that has just ended left is easiest to find at once.
void take_picture(Recorder* r);

// What the events' socket has.
void take_events(Recorder* r);

void close_recorder(Recorder* r);

}  // namespace procleash
