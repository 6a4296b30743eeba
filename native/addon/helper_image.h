// The helper that the addon carries, for a host where the file beside the addon can't be executed: it lost
// its run bit, lies on a file system mounted noexec, or was left behind by a bundler. Costs no memory until
// it is used: the pages are read with the first start from memory.
#pragma once

#include "core/unique_fd.h"

namespace procleash {

// A copy of the helper in memory (memfd_create(2)) that execveat(2) can start; its number is above 3. 0, or
// the errno: EACCES where vm.memfd_noexec is 2 (sysctl/vm.rst, Linux 6.3), ENOSYS where the call is missing
// or turned off by PROCLEASH_DISABLE=memfd.
int helper_in_memory(UniqueFd* out);

}  // namespace procleash
