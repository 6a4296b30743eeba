#include "init/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

namespace procleash {
namespace {

using KernelSet = uint64_t;

void set_mask(KernelSet mask) { syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(mask)); }

}  // namespace

UniqueFd take_every_signal() {
  const KernelSet all = ~KernelSet{0};
  set_mask(all);
  return UniqueFd(
      static_cast<int>(syscall(SYS_signalfd4, -1, &all, sizeof(all), SFD_CLOEXEC | SFD_NONBLOCK)));
}

void unblock_every_signal() { set_mask(0); }

}  // namespace procleash
