// What this host knows of the cgroups that its trees may have: where they can be made, found once for each
// JavaScript environment.
#pragma once

#include "core/cgroup_place.h"

namespace procleash {

// Looks and tries on the first call. Null without memory.
CgroupPlaces* known_places(CgroupPlaces** cache);

// The first place that gives a cgroup with these controllers, enabled there if need be; null where there is
// none.
CgroupPlace* choose_place(CgroupPlaces* places, uint32_t controllers);

}  // namespace procleash
