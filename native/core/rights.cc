#include "core/rights.h"

#include <sys/prctl.h>

#include "core/sys.h"

namespace procleash {
namespace {

// 32-bit platforms have calls of 16-bit numbers by the plain names.
#ifdef SYS_setresuid32
constexpr long kSetresuid = SYS_setresuid32, kSetresgid = SYS_setresgid32, kSetgroups = SYS_setgroups32;
constexpr long kGetresuid = SYS_getresuid32, kGetresgid = SYS_getresgid32;
#else
constexpr long kSetresuid = SYS_setresuid, kSetresgid = SYS_setresgid, kSetgroups = SYS_setgroups;
constexpr long kGetresuid = SYS_getresuid, kGetresgid = SYS_getresgid;
#endif

// include/uapi/linux/capability.h and securebits.h, which musl's compiler does not see.
constexpr int kCapKill = 5;
constexpr unsigned kNoRoot = 1;
constexpr uint32_t kCapabilityVersion = 0x20080522;

struct CapabilityHeader {
  uint32_t version;
  int32_t pid;
};

struct CapabilityData {
  uint32_t effective;
  uint32_t permitted;
  uint32_t inheritable;
};

constexpr uint32_t kNobody = ~0U;  // "leave it as it is" to setresuid(2)

struct Ids {
  uint32_t real;
  uint32_t effective;
  uint32_t saved;
};

bool all_are(const Ids& ids, uint32_t id) { return ids.real == id && ids.effective == id && ids.saved == id; }

Ids read_ids(long call) {
  Ids ids{};
  syscall(call, &ids.real, &ids.effective, &ids.saved);
  return ids;
}

struct Capabilities {
  uint64_t effective;
  uint64_t permitted;
  uint64_t inheritable;
};

constexpr uint64_t bit_of(int capability) { return 1ULL << capability; }

bool read_capabilities(Capabilities* out) {
  CapabilityHeader header = {kCapabilityVersion, 0};
  CapabilityData data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  const auto join = [](uint32_t low, uint32_t high) { return static_cast<uint64_t>(high) << 32 | low; };
  out->effective = join(data[0].effective, data[1].effective);
  out->permitted = join(data[0].permitted, data[1].permitted);
  out->inheritable = join(data[0].inheritable, data[1].inheritable);
  return true;
}

bool write_capabilities(const Capabilities& sets) {
  CapabilityHeader header = {kCapabilityVersion, 0};
  CapabilityData data[2] = {};
  for (int half = 0; half < 2; half++) {
    data[half].effective = static_cast<uint32_t>(sets.effective >> (32 * half));
    data[half].permitted = static_cast<uint32_t>(sets.permitted >> (32 * half));
    data[half].inheritable = static_cast<uint32_t>(sets.inheritable >> (32 * half));
  }
  return syscall(SYS_capset, &header, data) == 0;
}

bool changes_capabilities(const Rights& rights) { return (rights.flags & (kRightsKeep | kRightsDrop)) != 0; }

bool is_dropped(const Rights& rights, int capability) {
  const bool named = (rights.capabilities & bit_of(capability)) != 0;
  return (rights.flags & kRightsKeep) != 0 ? !named : named;
}

// kill(2): a signal to another user's process takes CAP_KILL. What can't be stopped is not started.
bool may_stop_user(uint32_t uid) {
  const Ids ids = read_ids(kGetresuid);
  Capabilities sets{};
  return uid == ids.real || uid == ids.effective ||
         (read_capabilities(&sets) && (sets.effective & bit_of(kCapKill)) != 0);
}

// A new user or group must not keep the old one's further groups: unless told, it has none. Where nothing
// changes, nothing is asked of the kernel, which asks for CAP_SETGID even then.
bool set_groups(const Rights& rights) {
  if ((rights.flags & kRightsGroups) != 0) return syscall(kSetgroups, rights.group_count, rights.groups) == 0;
  const bool new_uid = (rights.flags & kRightsUid) != 0 && !all_are(read_ids(kGetresuid), rights.uid);
  const bool new_gid = (rights.flags & kRightsGid) != 0 && !all_are(read_ids(kGetresgid), rights.gid);
  return (!new_uid && !new_gid) || syscall(kSetgroups, 0, nullptr) == 0;
}

// Each that the kernel knows, up to the first number that it doesn't.
bool drop_from_bounding_set(const Rights& rights) {
  for (int capability = 0; capability < 64; capability++) {
    const int has = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (has < 0) break;
    if (has == 1 && is_dropped(rights, capability) && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
      return false;
  }
  return true;
}

bool drop_capabilities(const Rights& rights) {
  Capabilities sets{};
  if (!read_capabilities(&sets)) return false;
  sets.effective &= ~rights.capabilities;
  sets.permitted &= ~rights.capabilities;
  sets.inheritable &= ~rights.capabilities;
  return write_capabilities(sets);
}

// Over an exec root has what the bounding set allows; anybody else only what is ambient, which has to be
// permitted and inheritable (capabilities(7), "Transformation of capabilities during execve()").
bool keep_capabilities(const Rights& rights) {
  const uint64_t kept = rights.capabilities;
  Capabilities sets{};
  if (!read_capabilities(&sets)) return false;
  // The kernel passes over bits that it doesn't know.
  if ((kept & ~sets.permitted) != 0) {
    errno = EPERM;
    return false;
  }
  const int securebits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
  const bool by_root = read_ids(kGetresuid).effective == 0 &&
                       (securebits < 0 || (static_cast<unsigned>(securebits) & kNoRoot) == 0);
  const uint64_t inheritable = by_root ? sets.inheritable & kept : kept;
  if (!write_capabilities(Capabilities{kept, kept, inheritable})) return false;
  if (by_root) return true;
  for (int capability = 0; capability < 64; capability++) {
    if ((kept & bit_of(capability)) == 0) continue;
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) return false;
  }
  return true;
}

RightsFailure failed(RightsStep step) { return RightsFailure{step, errno}; }

}  // namespace

bool is_valid(const Rights& rights) {
  if ((rights.flags & ~kRightsFlags) != 0 || rights.group_count > kMaxGroups) return false;
  if ((rights.flags & kRightsKeep) != 0 && (rights.flags & kRightsDrop) != 0) return false;
  for (uint32_t i = 0; i < rights.group_count; i++) {
    if (rights.groups[i] == kNobody) return false;
  }
  return rights.uid != kNobody && rights.gid != kNobody;
}

// capabilities(7): setgroups and setresgid take CAP_SETGID, the bounding set CAP_SETPCAP, setresuid
// CAP_SETUID; a change of user from root clears the permitted set unless it is to be kept.
RightsFailure take_on(const Rights& rights) {
  const bool sets_uid = (rights.flags & kRightsUid) != 0;
  const bool stoppable = !sets_uid || may_stop_user(rights.uid);
  if (!set_groups(rights)) return failed(RightsStep::kGroups);
  if ((rights.flags & kRightsGid) != 0 && syscall(kSetresgid, rights.gid, rights.gid, rights.gid) != 0)
    return failed(RightsStep::kGid);
  if (changes_capabilities(rights) && !drop_from_bounding_set(rights))
    return failed(RightsStep::kBoundingSet);
  if (sets_uid && (rights.flags & kRightsKeep) != 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0)
    return failed(RightsStep::kCapabilities);
  if (sets_uid && syscall(kSetresuid, rights.uid, rights.uid, rights.uid) != 0)
    return failed(RightsStep::kUid);
  if (!stoppable) return RightsFailure{RightsStep::kStop, EPERM};
  if ((rights.flags & kRightsKeep) != 0 && !keep_capabilities(rights))
    return failed(RightsStep::kCapabilities);
  if ((rights.flags & kRightsDrop) != 0 && !drop_capabilities(rights))
    return failed(RightsStep::kCapabilities);
  if ((rights.flags & kRightsNoNewPrivileges) != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return failed(RightsStep::kNoNewPrivileges);
  return RightsFailure{};
}

}  // namespace procleash
