// Reading /proc. Parsers are pure functions over untrusted text (a process names itself as it likes); readers
// open, read and close, allocate nothing and keep nothing.
#pragma once

#include <sys/types.h>

#include "core/base.h"
#include "core/unique_fd.h"

namespace procleash {

struct Process {
  pid_t pid = 0;
  pid_t ppid = 0;
  pid_t pgid = 0;
  pid_t sid = 0;
  uint64_t start = 0;  // clock ticks since boot; with pid it identifies a process
  uint64_t cpu = 0;    // clock ticks in user mode and in the kernel
  uint64_t pages = 0;  // resident
  uint32_t threads = 0;
  char state = 0;      // 0 where nobody has looked
  char name[16] = {};  // cut at 15 bytes, ended by NUL
  uint8_t mark = 0;    // scratch of descendants.cc and kin.cc
  int pidfd = 0;  // where a picture holds it. 0 is none, so that the tables are of zeros: they take no room

  // A zombie is dead, except for one whose other threads still run: its first thread ended before them.
  bool alive() const { return (state != 'Z' || threads > 1) && state != 'X'; }
  // Only its numbers are known: pid, group, session, perhaps the parent. It counts as alive.
  bool bare() const { return state == 0; }
  bool held() const { return pidfd > 0; }
};

// Parses the text of /proc/PID/stat. False where it is not of that form.
bool parse_stat(Span<const char> text, Process* out);

// Parses the next number of a list such as /proc/PID/task/TID/children, from *position on; 0 at the end.
pid_t next_pid(Span<const char> text, size_t* position);

// A directory entry's name as a pid; 0 where it is no number.
pid_t pid_of_name(const char* name);

// `proc` is a descriptor of the /proc directory. Where it fails errno says why: see is_shortage.
bool read_process(int proc, pid_t pid, Process* out);

// Whether what failed did so for want of descriptors or memory of our own: nothing is known of the process.
bool is_shortage(int error);

// Opens /proc/PID/`name` for reading.
UniqueFd open_proc_file(int proc, pid_t pid, const char* name);

// Reads the whole file /proc/PID/`name`, up to the buffer's size. -1 with errno when it can't be opened or
// read.
ssize_t read_proc_file(int proc, pid_t pid, const char* name, char* buffer, size_t size);

// Calls visit(context, child) for each child of each thread of the process, however many it has where
// `threads` is 0. False where a list could not be read (the process is gone, or the kernel has no `children`
// files): then errno tells. The lists are exact only while nothing is reaped meanwhile
// (proc_tid_children(5)).
using VisitPid = void (*)(void* context, pid_t pid);
bool for_each_child(int proc, pid_t pid, uint32_t threads, VisitPid visit, void* context);

// The same for a children list that is open: reads it from its start.
bool for_each_listed(int list, VisitPid visit, void* context);

// Calls visit for each process of the system, in ascending order. False with errno on failure.
bool for_each_process(int proc, VisitPid visit, void* context);

// The same with an open description of /proc that nobody else uses: reads it from its start.
bool for_each_process_in(int directory, VisitPid visit, void* context);

enum class Procfs { kOwn, kForeign, kMissing };

// Whether the /proc that is mounted shows our own PID namespace.
Procfs procfs_kind(int proc);

}  // namespace procleash
