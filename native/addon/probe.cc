// What this machine offers, as JavaScript is told: lists of numbers whose places bindings/native.ts names.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "addon/call.h"
#include "core/features.h"

namespace procleash {
namespace {

napi_value list_of(napi_env env, Span<const double> values) {
  napi_value result = nullptr;
  napi_create_array(env, &result);
  uint32_t index = 0;
  for (double value : values) napi_set_element(env, result, index++, number(env, value));
  return result;
}

// Whether a terminal of one's own can be had: opened, and closed again.
bool probe_pty() {
  UniqueFd master(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  int unlocked = 0;
  unsigned index = 0;
  return master.valid() && ioctl(master.get(), TIOCSPTLCK, &unlocked) == 0 &&
         ioctl(master.get(), TIOCGPTN, &index) == 0;
}

napi_value probe(napi_env env, napi_callback_info) {
  UniqueFd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Features f = probe_features(proc.get(), getenv("PROCLEASH_DISABLE"));
  const double values[] = {static_cast<double>(f.pidfd),       static_cast<double>(f.pidfd_group),
                           static_cast<double>(f.subreaper),   static_cast<double>(f.clone3),
                           static_cast<double>(f.close_range), static_cast<double>(f.children),
                           static_cast<double>(f.procfs),      static_cast<double>(probe_pty())};
  return list_of(env, Span<const double>{values, sizeof(values) / sizeof(values[0])});
}

struct ProbedPlace {
  const char* path = "";
  CgroupLack lack = CgroupLack::kRefused;
  int error = 0;
  uint32_t controllers = 0;  // of all places that can be used
};

// Where the cgroup of a tree would be made: the first place that can be used, or else the best and why it
// can't.
ProbedPlace probe_place(Reactor* r) {
  Lock lock(r);
  ProbedPlace probed;
  const Cgroups* cgroups = known_cgroups(&r->cgroups);
  if (cgroups == nullptr) {
    probed.error = ENOMEM;
    return probed;
  }
  const CgroupPlaces& places = cgroups->places;
  probed.lack = places.lack;
  if (places.count == 0) return probed;
  const CgroupPlace* chosen = &places.place[0];
  for (size_t i = 0; i < places.count; i++) {
    const CgroupPlace& place = places.place[i];
    if (place.lack != CgroupLack::kNone) continue;
    if (chosen->lack != CgroupLack::kNone) chosen = &place;
    probed.controllers |= place.enabled | place.can_enable;
  }
  probed.path = chosen->path.c_str();
  probed.lack = chosen->lack;
  probed.error = chosen->number;
  return probed;
}

// [path, lack, errno, controllers]
napi_value probe_cgroup(napi_env env, napi_callback_info info) {
  Arguments a(env, info);
  const ProbedPlace place = probe_place(a.reactor);
  const double values[] = {0, static_cast<double>(place.lack), static_cast<double>(place.error),
                           static_cast<double>(place.controllers)};
  napi_value result = list_of(env, Span<const double>{values, 4});
  napi_value text = nullptr;
  napi_create_string_utf8(env, place.path, NAPI_AUTO_LENGTH, &text);
  napi_set_element(env, result, 0, text);
  return result;
}

constexpr Call kCalls[] = {
    {"probe", probe},
    {"probeCgroup", opened<probe_cgroup>},
};

}  // namespace

Span<const Call> probe_calls() { return table_of(kCalls); }

}  // namespace procleash
