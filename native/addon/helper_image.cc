#include "addon/helper_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "core/features.h"
#include "core/sys.h"

// NOLINTBEGIN(readability-identifier-naming): the names of helper_bytes.S
extern "C" const char procleash_helper_begin[];
extern "C" const char procleash_helper_end[];
// NOLINTEND(readability-identifier-naming)

namespace procleash {
namespace {

int make_memory_file() {
  const char* name = "procleash-supervisor";
  // With vm.memfd_noexec=1 a memfd is executable only if asked for; before 6.3 the flag is unknown.
  int fd = memfd_create(name, kMemfdCloexec | kMemfdExec);
  return fd < 0 && errno == EINVAL ? memfd_create(name, kMemfdCloexec) : fd;
}

int write_all(int fd, const char* data, size_t size) {
  while (size > 0) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return 0;
}

}  // namespace

int helper_in_memory(UniqueFd* out) {
  if (feature_disabled(getenv("PROCLEASH_DISABLE"), "memfd")) return ENOSYS;
  const int made = make_memory_file();
  if (made < 0) return errno;
  // The child puts its control socket on 3.
  const int raised = fcntl(made, F_DUPFD_CLOEXEC, 4);
  const int error = errno;
  close(made);
  if (raised < 0) return error;
  out->reset(raised);
  return write_all(out->get(), procleash_helper_begin,
                   static_cast<size_t>(procleash_helper_end - procleash_helper_begin));
}

}  // namespace procleash
