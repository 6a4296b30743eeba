// Every signal, 1 to 64, by the kernel's own sets: those of the C libraries leave out the two or three
// numbers that they keep for themselves, and a signal that is neither blocked nor forwarded would end us, or
// be lost.
#pragma once

#include "core/unique_fd.h"

namespace procleash {

// Blocks all that can be blocked and gives a descriptor that reports them.
UniqueFd take_every_signal();

void unblock_every_signal();

}  // namespace procleash
