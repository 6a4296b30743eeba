#include "init/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include "core/signals.h"

namespace procleash {
UniqueFd take_every_signal() {
  set_signal_mask(kEverySignal);
  const int fd = static_cast<int>(
      syscall(SYS_signalfd4, -1, &kEverySignal, sizeof(kEverySignal), SFD_CLOEXEC | SFD_NONBLOCK));
  return UniqueFd(fd);
}

void unblock_every_signal() { set_signal_mask(0); }

}  // namespace procleash
