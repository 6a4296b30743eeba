// What this host knows of the cgroups that its trees may have: where they can be made, found once for each
// JavaScript environment, and what they are called.
#pragma once

#include "core/cgroup.h"

namespace procleash {

struct Cgroups {
  CgroupPlaces places;
  LeafPrefix prefix;
  bool cleared;
};

// Looks and tries on the first call. Null without memory.
Cgroups* known_cgroups(Cgroups** cache);

// The path of a cgroup for the tree with this id, in the first place that has these controllers, enabled
// there if need be. False with errno where there is none. The first call also ends what hosts that are dead
// have left there.
bool name_leaf(Cgroups* cgroups, uint32_t controllers, uint64_t id, CgroupPath* out);

}  // namespace procleash
