#include "supervisor/watch_report.h"

#include "supervisor/report.h"

namespace procleash {
namespace {

// One frame at a time; smaller than the lease's own buffer.
char space[48U << 10];
static_assert(kMaxSettlement <= sizeof(space), "a settlement is one frame");

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

}  // namespace

void say_recording(Lease* lease, Recording recording, uint64_t start) {
  Packer out(Span<char>{space, sizeof(space)});
  out.put(recording);
  out.put(static_cast<double>(start));
  lease->say(Frame::kRecording, Span<const char>{space, out.size()});
}

void say_watched_exited(Lease* lease) { lease->say(Frame::kExited, Span<const char>{}); }

void say_recorded(Lease* lease, uint32_t request, ForeignTree* t) {
  auto pack = [](void* context, size_t index, Packer* out) {
    auto* tree = static_cast<ForeignTree*>(context);
    return pack_member(out, tree, &tree->members[index]);
  };
  say_list(lease, request, t->count, pack, t);
}

void say_watch_settled(Lease* lease, const ForeignStop& stop, const ForeignTree& t) {
  Packer out(Span<char>{space, sizeof(space)});
  pack_settlement(&out, stop, t);
  lease->say(Frame::kSettled, Span<const char>{space, out.size()});
}

}  // namespace procleash
