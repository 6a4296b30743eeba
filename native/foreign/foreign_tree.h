// A tree that we did not start, as pictures of /proc show it: who belongs to it by parent, session and group.
// Grows with every picture; whoever was a member stays one, whatever becomes of its parents.
#pragma once

#include "foreign/members.h"

namespace procleash {

// Takes a whole picture in: who is gone, who is new. Gives the number of new members.
size_t take_in(ForeignTree* t, Span<Process> scan);

}  // namespace procleash
