#include "supervisor/watch_report.h"

#include <poll.h>

namespace procleash {
namespace {

// One frame at a time; smaller than the lease's own buffer.
char space[48U << 10];
static_assert(kMaxSettlement <= sizeof(space), "a settlement is one frame");
// How long a list may wait for the host to make room.
constexpr int kListPatienceMs = 100;

bool pack_member(Packer* out, ForeignTree* t, Member* m) {
  Entry entry;
  if (!m->alive || !read_process(t->proc, m->last.pid, &entry.process)) return false;
  if (entry.process.start != m->last.start || !entry.process.alive()) return false;
  see_again(t, m, entry.process);
  char argv[kMaxArgv];
  entry.argv = Span<const char>{argv, read_argv(t->proc, m->last.pid, argv, sizeof(argv))};
  entry.escape = m->escape;
  pack_entry(out, entry);
  return true;
}

bool make_room(Lease* lease) {
  if (!lease->wants_to_write()) return true;
  struct pollfd wait = {lease->socket(), POLLOUT, 0};
  if (poll(&wait, 1, kListPatienceMs) <= 0) return false;
  lease->flush();
  return true;
}

}  // namespace

void say_recording(Lease* lease, Recording recording, uint64_t start) {
  Packer out(Span<char>{space, sizeof(space)});
  out.put(recording);
  out.put(static_cast<double>(start));
  lease->say(Frame::kRecording, Span<const char>{space, out.size()});
}

void say_watched_exited(Lease* lease) { lease->say(Frame::kExited, Span<const char>{}); }

void say_recorded(Lease* lease, uint32_t request, ForeignTree* t) {
  size_t i = 0;
  bool more = true;
  while (more) {
    Packer out(Span<char>{space, sizeof(space)});
    out.put(request);
    out.put(uint8_t{0});
    out.put(uint16_t{0});
    uint16_t count = 0;
    for (; i < t->count && out.size() + kMaxEntry <= sizeof(space); i++) {
      if (pack_member(&out, t, &t->members[i])) count++;
    }
    more = i < t->count;
    out.patch(4, static_cast<uint8_t>(more ? 1 : 0));
    out.patch(5, count);
    if (!make_room(lease)) return;
    lease->say(Frame::kProcesses, Span<const char>{space, out.size()});
  }
}

void say_watch_settled(Lease* lease, const ForeignStop& stop, const ForeignTree& t) {
  Packer out(Span<char>{space, sizeof(space)});
  pack_settlement(&out, stop, t);
  lease->say(Frame::kSettled, Span<const char>{space, out.size()});
}

}  // namespace procleash
