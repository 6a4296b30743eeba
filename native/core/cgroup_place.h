// Where the cgroups (version 2) of trees can be made: below the host's own cgroup, or beside it, wherever the
// kernel lets this process make one and move processes into it. Found by trying, never by guessing from
// mount options or versions.
#pragma once

#include "core/text.h"

namespace procleash {

constexpr size_t kMaxCgroupPath = 4096;
using CgroupPath = TextBuffer<kMaxCgroupPath>;

// Controllers that limits need; bits of a mask.
constexpr uint32_t kMemoryController = 1;
constexpr uint32_t kPidsController = 2;
constexpr uint32_t kCpuController = 4;

enum class CgroupLack : uint8_t {
  kNone = 0,
  kNoHierarchy = 1,  // no cgroup2 file system is mounted
  kOutside = 2,      // the host's own cgroup is not below what is mounted
  kRefused = 3,      // the kernel refuses it, with an errno
  kNoKill = 4,       // cgroup.kill is missing (before Linux 5.14)
  kThreaded = 5,     // a threaded cgroup: it can't be killed as one
  kDisabled = 6,     // by PROCLEASH_DISABLE
};

struct CgroupPlace {
  CgroupPath path;
  CgroupLack lack = CgroupLack::kNoHierarchy;
  int number = 0;           // errno of kRefused
  uint32_t enabled = 0;     // controllers that a cgroup made here has
  uint32_t can_enable = 0;  // and those that enable_controllers could add
};

// Pure parsers, for text from /proc/self/mountinfo (proc_pid_mountinfo(5)) and /proc/self/cgroup
// (cgroups(7)).
bool parse_cgroup2_mount(Span<const char> line, CgroupPath* root, CgroupPath* mount_point);
bool parse_own_cgroup(Span<const char> line, CgroupPath* out);
// The folder of a cgroup in a mount whose root is `root`. False where it lies outside.
bool cgroup_folder(const CgroupPath& own, const CgroupPath& root, const CgroupPath& mount_point,
                   CgroupPath* out);

// The candidates, the best first: `override` alone (a folder, from PROCLEASH_CGROUP), or the host's own
// cgroup and the one around it. Gives their number.
constexpr size_t kMaxPlaces = 2;
struct CgroupPlaces {
  CgroupPlace place[kMaxPlaces];
  size_t count = 0;
  CgroupLack lack = CgroupLack::kNoHierarchy;  // where there is no candidate
};
void find_places(int proc, const char* override_path, CgroupPlaces* out);

// Makes an empty cgroup there and removes it, once, to see what can be had.
void probe_place(CgroupPlace* place);

// Enables controllers for the cgroups made there. 0, or the errno: EBUSY where processes live in the place
// itself ("no internal processes", cgroups(7)).
int enable_controllers(CgroupPlace* place, uint32_t controllers);

}  // namespace procleash
