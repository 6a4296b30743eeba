#include "addon/cgroups.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/features.h"
#include "core/unique_fd.h"

namespace procleash {
namespace {

void look(Cgroups* cgroups) {
  CgroupPlaces* places = &cgroups->places;
  if (feature_disabled(getenv("PROCLEASH_DISABLE"), "cgroup")) {
    places->lack = CgroupLack::kDisabled;
    return;
  }
  UniqueFd proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  find_places(proc.get(), getenv("PROCLEASH_CGROUP"), places);
  for (size_t i = 0; i < places->count; i++) probe_place(&places->place[i]);
  leaf_prefix(proc.get(), getpid(), &cgroups->prefix);
}

const CgroupPlace* choose_place(CgroupPlaces* places, uint32_t controllers) {
  errno = EOPNOTSUPP;
  for (size_t i = 0; i < places->count; i++) {
    CgroupPlace* place = &places->place[i];
    if (place->lack != CgroupLack::kNone || (controllers & ~(place->enabled | place->can_enable)) != 0)
      continue;
    const int error = enable_controllers(place, controllers);
    if (error == 0) return place;
    errno = error;
  }
  return nullptr;
}

void clear_places(Cgroups* cgroups) {
  if (cgroups->cleared) return;
  cgroups->cleared = true;
  UniqueFd proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (size_t i = 0; i < cgroups->places.count; i++) {
    const CgroupPlace& place = cgroups->places.place[i];
    if (place.lack == CgroupLack::kNone) clear_abandoned(proc.get(), place.path.c_str());
  }
}

}  // namespace

Cgroups* known_cgroups(Cgroups** cache) {
  if (*cache != nullptr) return *cache;
  void* memory = malloc(sizeof(Cgroups));
  if (memory == nullptr) return nullptr;
  const Cgroups initial{};
  memcpy(memory, static_cast<const void*>(&initial), sizeof(Cgroups));
  *cache = static_cast<Cgroups*>(memory);
  look(*cache);
  return *cache;
}

bool name_leaf(Cgroups* cgroups, uint32_t controllers, uint64_t id, CgroupPath* out) {
  const CgroupPlace* place = choose_place(&cgroups->places, controllers);
  if (place == nullptr) return false;
  clear_places(cgroups);
  out->clear();
  out->put(place->path.view()).put("/");
  // Without a /proc of this namespace the name can't say whose it is, and nobody clears it up for us.
  out->put(cgroups->prefix.empty() ? "procleash-" : cgroups->prefix.c_str()).hex(id, 16);
  if (out->overflowed()) errno = ENAMETOOLONG;
  return !out->overflowed();
}

}  // namespace procleash
