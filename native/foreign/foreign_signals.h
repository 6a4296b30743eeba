// Signals to the members of a tree that we did not start. Each is proved again right before.
#pragma once

#include "foreign/members.h"

namespace procleash {

// The first signal, and SIGCONT after it: once to each member, to the root's group as one where only members
// are in it.
void ask_members(ForeignTree* t, int signal);
// The same for those that the pictures before the signal had missed. What was started since is left alone: it
// may be there because of the signal.
void ask_missed(ForeignTree* t, int signal);

// SIGSTOP to each member that has not got it yet. Gives how many were hit.
size_t freeze_members(ForeignTree* t);

// SIGKILL to every group that a member leads and that holds only members, then to each member that is left;
// `thorough`: to all of them, also where their group got it. Gives how many were hit.
size_t kill_members(ForeignTree* t, bool thorough);

// SIGKILL to the groups of which the picture shows nothing but zombies.
void kill_zombie_groups(ForeignTree* t);

// One signal to the root's group where it leads one, else to it alone: its group may be the host's. `pidfd`
// is the root's; without one (-1) nothing is sent where the kernel has them, as it has ended.
void signal_root(const ForeignTree& t, int pidfd, int signal);

}  // namespace procleash
