#include "addon/cgroups.h"

#include <fcntl.h>
#include <stdlib.h>

#include "core/features.h"
#include "core/unique_fd.h"

namespace procleash {
namespace {

void look(CgroupPlaces* places) {
  if (feature_disabled(getenv("PROCLEASH_DISABLE"), "cgroup")) {
    places->lack = CgroupLack::kDisabled;
    return;
  }
  UniqueFd proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  find_places(proc.get(), getenv("PROCLEASH_CGROUP"), places);
  for (size_t i = 0; i < places->count; i++) probe_place(&places->place[i]);
}

}  // namespace

CgroupPlaces* known_places(CgroupPlaces** cache) {
  if (*cache != nullptr) return *cache;
  auto* places = static_cast<CgroupPlaces*>(malloc(sizeof(CgroupPlaces)));
  if (places == nullptr) return nullptr;
  *places = CgroupPlaces{};
  look(places);
  *cache = places;
  return places;
}

CgroupPlace* choose_place(CgroupPlaces* places, uint32_t controllers) {
  for (size_t i = 0; i < places->count; i++) {
    CgroupPlace* place = &places->place[i];
    const bool fits =
        place->lack == CgroupLack::kNone && (controllers & ~(place->enabled | place->can_enable)) == 0;
    if (fits && enable_controllers(place, controllers) == 0) return place;
  }
  return nullptr;
}

}  // namespace procleash
