// The keeper's life: its states, and what leads from one to the next. The clock and the messages of the host
// come from outside; the tree and its end are looked at here.
#pragma once

#include <signal.h>

#include "supervisor/lease.h"
#include "supervisor/stop.h"
#include "supervisor/tree.h"

namespace procleash {

//   idle -> running -> draining -> kept
//              |           |        |
//              +-----------+--------+--> stopping -> killing -> surviving
//   and from every state but idle, once the kernel says that no descendant is left: done
enum class KeeperState {
  kIdle,       // no command yet
  kRunning,    // the command runs
  kDraining,   // it has ended and left something; the host reads what is still in the pipes
  kKept,       // what it left may stay
  kStopping,   // the first signal was sent
  kKilling,    // SIGKILL, in rounds
  kSurviving,  // past the budget: survivors were named, killing goes on
  kDone,
};

struct Keeper {
  KeeperState state = KeeperState::kIdle;
  Lease lease;
  UniqueFd supervisor;  // end of file once the supervisor has ended
  UniqueFd host;        // readable once the host has ended
  UniqueFd signals;
  Stop stop;
  Nanos budget = 0;
  int stop_signal = SIGTERM;
  bool keep_leftovers = false;
  bool exit_told = false;
  int shortage = 0;        // errno of what could not be opened in advance
  bool childless = false;  // no child left, and the cgroup still populated
  Nanos timeout_at = kNever;
  Nanos drain_until = kNever;
};

bool has_tree(const Keeper& k);
bool in_stop(const Keeper& k);

// A second request joins the running stop; it can only make it shorter.
void request_stop(Keeper* k, Reason reason, Nanos requested, Nanos budget);
// What is still in the pipes has been read, or nobody reads it.
void after_drain(Keeper* k);
// Statuses first, then the verdict.
void reap_and_judge(Keeper* k);
// The host or the supervisor is gone: without a tree there is nothing to stay for.
void lose(Keeper* k, Reason reason);

// Does what is due.
void run_timers(Keeper* k);
Nanos next_deadline(const Keeper& k);

}  // namespace procleash
