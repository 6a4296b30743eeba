// The stop of a tree that we did not start, picture by picture: look until nothing moves, first signal,
// patience, SIGKILL in rounds, and the point where survivors are named. Carried out by the reactor's thread,
// or by a recorder. A snapshot proves less than a keeper does, and the result says so.
#pragma once

#include "core/stop_plan.h"
#include "foreign/foreign_tree.h"
#include "foreign/snapshot.h"

namespace procleash {

enum class StopPhase : uint8_t {
  kLooking,  // before the first signal: until two pictures agree
  kWaiting,  // the members act on the first signal
  kKilling,  // until two pictures agree that nothing is left, or survivors are named
  kEnded,
};

struct ForeignStop {
  StopPhase phase = StopPhase::kLooking;
  Reason reason = Reason::kStop;
  int signal = 0;
  Nanos requested = 0;
  Nanos deadline = 0;
  Nanos kill_at = kNever;
  Nanos next = 0;  // when the next picture is due
  Nanos gap = 0;
  Nanos cheapest = kNever;  // picture so far, by its cost
  uint32_t looks = 0;       // pictures before the first signal
  uint32_t empty_pictures = 0;
  bool swept = false;  // groups of zombies got SIGKILL, and the pictures since are empty
  int rounds = 0;      // of SIGKILL
  int freezes = 0;     // of SIGSTOP, since the last of them
  Nanos killing_since = kNever;
  bool escalated = false;
  bool blind = false;  // ended without a picture: who is not known may live
  size_t living_before = 0;
  Nanos stuck_since = kNever;
};

// What the picture asks for. The picture may be one with an error: then nothing is concluded from it.
void step_stop(ForeignStop* stop, ForeignTree* t, const Snapshot& snapshot);

// A later request joins the running stop; it can only make it shorter.
void hasten_stop(ForeignStop* stop, Nanos requested, Nanos budget);

// Somebody was born since the last picture, so that it proves nothing, whether or not the next one shows it.
void reopen_stop(ForeignStop* stop, const ForeignTree& t);

}  // namespace procleash
