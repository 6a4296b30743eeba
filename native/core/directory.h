// The names in a directory, without readdir(3) and its memory.
#pragma once

namespace procleash {

// Calls visit(context, name) for each entry from the descriptor's position on, "." and ".." among them, until
// one call gives false. False then, and with errno on failure.
using VisitName = bool (*)(void* context, const char* name);
bool for_each_entry(int directory, VisitName visit, void* context);

}  // namespace procleash
