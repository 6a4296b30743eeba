#include "core/directory.h"

#include <errno.h>

#include "core/sys.h"

namespace procleash {

bool for_each_entry(int directory, VisitName visit, void* context) {
  alignas(LinuxDirent64) char buffer[8192];
  for (;;) {
    ssize_t n = getdents64(directory, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) return true;
    for (ssize_t at = 0; at < n;) {
      auto* entry = reinterpret_cast<LinuxDirent64*>(buffer + at);
      if (!visit(context, entry->d_name)) return false;
      at += entry->d_reclen;
    }
  }
}

}  // namespace procleash
