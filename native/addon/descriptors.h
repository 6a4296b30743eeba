// Making the descriptors of a command on the host's side: pipes, sockets, files named by path. All CLOEXEC,
// none of them 0 to 2 even where the host has closed those, ours non-blocking.
#pragma once

#include "core/unique_fd.h"

namespace procleash {

struct FdPair {
  UniqueFd ours;
  UniqueFd theirs;
};

// Each gives 0 or the errno.
int make_socket_pair(int type, FdPair* out);
// For standard input we write; for outputs we read.
enum class PipeUse { kWeWrite, kWeRead };
int make_pipe(PipeUse use, FdPair* out);

enum class OpenFor { kRead, kTruncate, kAppend };
// Never blocks on a FIFO; never follows the path to a terminal's control. New files get mode 0600.
int open_path(const char* path, OpenFor use, UniqueFd* out);
// Whether writing can't wait for somebody else: a regular file or a device, not a FIFO or a socket.
bool never_waits(int fd);

// Like open_path for writing, but refuses a symbolic link at the path's end (ELOOP).
int open_private(const char* path, OpenFor use, UniqueFd* out);
// A copy of a descriptor that the caller keeps.
int duplicate(int fd, UniqueFd* out);

// The working directory as it is now, however deep or deleted: relative paths of the command start there.
int open_directory(UniqueFd* out);

// Writes without raising SIGPIPE in a thread whose signals belong to the runtime. Bytes written, or -errno.
ssize_t write_quietly(int fd, const char* data, size_t size);

}  // namespace procleash
