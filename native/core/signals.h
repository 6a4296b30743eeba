// Signals that reach only what is proved ours: a process by pidfd, or by number with its start time; a group
// by its leader's pidfd, or by number while the leader is our unreaped child. Never 0, 1 or -1.
#pragma once

#include "core/features.h"
#include "core/proc.h"
#include "core/unique_fd.h"

namespace procleash {

// Whether the number still is this process's: 0, ESRCH, or the shortage that keeps us from knowing.
int prove_same(int proc, const Process& process);

// Sends the signals, in order, to one process, which a picture may hold. Gives 0, or the first errno: ESRCH
// where the process is gone or its number belongs to another one by now.
int signal_process(int proc, const Features& features, const Process& process, Span<const int> signals);

// The leader of a group that we created, as long as we may name the group.
struct GroupLeader {
  pid_t pid = 0;
  UniqueFd pidfd;
  bool reaped = false;
};

// Sends one signal to the group. ESTALE where the leader was reaped and the kernel can't signal a group by
// pidfd: the number may belong to others.
int signal_group(const Features& features, const GroupLeader& leader, int signal);

// Every signal by its kernel's bit. The C libraries' own sets leave out those that they use for themselves
// (32 to 34), and one of those ends a process that does not block it.
using SignalMask = uint64_t;
constexpr SignalMask kEverySignal = ~SignalMask{0};
void set_signal_mask(SignalMask mask);

// Blocks every signal and gives a descriptor that reports `signals` (a list ended by 0).
UniqueFd block_signals(const int* signals);

// What exec keeps: ignored signals back to their default, except for those that can't be changed.
void reset_dispositions();

}  // namespace procleash
