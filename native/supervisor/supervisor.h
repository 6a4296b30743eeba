// The supervisor: one process for each host. Forks keepers, each with its end of a lease, and adopts what a
// keeper that dies leaves behind. Lives as long as its host, or as the last tree whose stop is still going
// on.
#pragma once

namespace procleash {

// `control` is the socket to the host (SOCK_SEQPACKET). Gives the exit status of the process.
int run_supervisor(int control);

}  // namespace procleash
