#include "addon/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "addon/reactor.h"
#include "core/features.h"

namespace procleash {
namespace {

napi_value list_of(napi_env env, Span<const double> values) {
  napi_value result = nullptr;
  napi_create_array(env, &result);
  uint32_t index = 0;
  for (double value : values) {
    napi_value number = nullptr;
    napi_create_double(env, value, &number);
    napi_set_element(env, result, index++, number);
  }
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

}  // namespace

napi_value probe(napi_env env, napi_callback_info) {
  UniqueFd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Features f = probe_features(proc.get(), getenv("PROCLEASH_DISABLE"));
  const double values[] = {static_cast<double>(f.pidfd),       static_cast<double>(f.pidfd_group),
                           static_cast<double>(f.subreaper),   static_cast<double>(f.clone3),
                           static_cast<double>(f.close_range), static_cast<double>(f.children),
                           static_cast<double>(f.procfs),      static_cast<double>(probe_pty())};
  return list_of(env, Span<const double>{values, sizeof(values) / sizeof(values[0])});
}

napi_value probe_cgroup(napi_env env, napi_callback_info) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  auto* r = static_cast<Reactor*>(data);
  pthread_mutex_lock(&r->lock);
  const Cgroups* cgroups = known_cgroups(&r->cgroups);
  const CgroupPlaces* places = cgroups != nullptr ? &cgroups->places : nullptr;
  const char* path = "";
  CgroupLack lack = places != nullptr ? places->lack : CgroupLack::kRefused;
  int error = places != nullptr ? 0 : ENOMEM;
  uint32_t controllers = 0;
  if (places != nullptr && places->count > 0) {
    const CgroupPlace* chosen = &places->place[0];
    for (size_t i = 0; i < places->count; i++) {
      const CgroupPlace& place = places->place[i];
      if (place.lack != CgroupLack::kNone) continue;
      if (chosen->lack != CgroupLack::kNone) chosen = &place;
      controllers |= place.enabled | place.can_enable;
    }
    path = chosen->path.c_str();
    lack = chosen->lack;
    error = chosen->number;
  }
  pthread_mutex_unlock(&r->lock);
  const double values[] = {0, static_cast<double>(lack), static_cast<double>(error),
                           static_cast<double>(controllers)};
  napi_value result = list_of(env, Span<const double>{values, 4});
  napi_value text = nullptr;
  napi_create_string_utf8(env, path, NAPI_AUTO_LENGTH, &text);
  napi_set_element(env, result, 0, text);
  return result;
}

}  // namespace procleash
