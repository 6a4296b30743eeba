#include "foreign/foreign_report.h"

#include <errno.h>
#include <stdlib.h>

namespace procleash {
namespace {

constexpr size_t kMaxSurvivors = kMaxNamed;
constexpr size_t kProcessesHead = 16;

// A lost report would be a promise that never settles: without this little memory there is no honest way on.
Packer make_packer(Report* report, size_t room) {
  report->bytes = static_cast<char*>(malloc(room));
  if (report->bytes == nullptr) abort();
  return Packer(Span<char>{report->bytes, room});
}

bool lives(const ForeignTree& t, const Member& m, Process* out) {
  if (!m.alive) return false;
  errno = 0;
  if (read_process(t.proc, m.last.pid, out)) return out->start == m.last.start && out->alive();
  if (!is_shortage(errno)) return false;
  // Its own descriptor may still tell; otherwise it is as the last picture said.
  *out = m.last;
  return !has_ended(m);
}

struct Counts {
  uint32_t ended = 0;
  uint16_t named = 0;
  uint16_t survivors = 0;
};

// The kernel says that a group is not empty, and no picture shows who is in it: its leader is all that can be
// named.
void pack_hidden(Packer* out, const ForeignTree& t, Counts* counts) {
  Entry entry;
  entry.process.pid = t.root;
  entry.process.pgid = t.root_group;
  entry.process.sid = t.root_session;
  entry.process.start = t.root_start;
  entry.reason = SurvivorReason::kNamespace;
  pack_entry(out, entry);
  counts->survivors++;
}

void pack_survivors(Packer* out, const ForeignTree& t, Counts* counts) {
  for (const Member& m : t.found()) {
    Entry entry;
    if (m.past) continue;
    if (!lives(t, m, &entry.process)) {
      counts->ended++;
      continue;
    }
    if (counts->survivors == kMaxSurvivors) continue;
    char argv[kMaxArgv];
    entry.argv = Span<const char>{argv, read_argv(t.proc, m.last.pid, argv, sizeof(argv))};
    entry.escape = m.escape;
    entry.reason = m.forbidden ? SurvivorReason::kPermission : SurvivorReason::kUninterruptible;
    pack_entry(out, entry);
    counts->survivors++;
  }
}

// In the order in which they were seen first, the root before all.
void pack_ended(Packer* out, const ForeignTree& t, Counts* counts) {
  const Member* named[kMaxNamed] = {};
  for (const Member& m : t.found()) {
    if (m.name_slot >= 0) named[m.name_slot] = &m;
  }
  for (size_t slot = 0; slot < kMaxNamed && named[slot] != nullptr; slot++) {
    Process now_there;
    if (lives(t, *named[slot], &now_there)) continue;
    Entry entry;
    entry.process = named[slot]->last;
    entry.escape = named[slot]->escape;
    entry.argv = Span<const char>{t.names[slot], t.name_sizes[slot]};
    pack_entry(out, entry);
    counts->named++;
  }
}

}  // namespace

void pack_settlement(Packer* out, const ForeignStop& stop, const ForeignTree& t) {
  out->put(Outcome::kEmpty);
  out->put(stop.reason);
  out->put(Proof::kSnapshot);
  out->put(static_cast<uint8_t>(stop.escalated ? 1 : 0));
  out->put(static_cast<double>(now() - stop.requested) / static_cast<double>(kMillisecond));
  for (int i = 0; i < 3; i++) out->put(0.0);  // their own parents reap them and get their usage
  const size_t at = out->size();
  out->put(uint32_t{0});
  out->put(uint16_t{0});
  out->put(uint16_t{0});
  Counts counts;
  pack_ended(out, t, &counts);
  pack_survivors(out, t, &counts);
  if (counts.survivors == 0 && t.hidden_groups > 0) pack_hidden(out, t, &counts);
  out->patch(at, counts.ended);
  out->patch(at + 4, counts.named);
  out->patch(at + 6, counts.survivors);
  if (counts.survivors == 0 && !stop.blind) return;
  out->patch(0, Outcome::kSurvivors);
  out->patch(2, Proof::kNone);
}

Report report_settled(const ForeignStop& stop, const ForeignTree& t) {
  Report report;
  Packer out = make_packer(&report, kMaxSettlement);
  pack_settlement(&out, stop, t);
  report.size = out.size();
  return report;
}

Report report_processes(int proc, const Snapshot& snapshot, const Process& root) {
  size_t kin = 0;
  for (const Process& process : snapshot.processes()) kin += process.mark == kMarkKin ? 1 : 0;
  Report report;
  Packer out = make_packer(&report, kProcessesHead + kin * kMaxEntry);
  out.put(uint32_t{0});
  out.put(uint8_t{0});
  const size_t at = out.size();
  out.put(uint16_t{0});
  uint16_t count = 0;
  for (const Process& process : snapshot.processes()) {
    if (process.mark != kMarkKin || count == UINT16_MAX) continue;
    char argv[kMaxArgv];
    Entry entry;
    entry.process = process;
    entry.escape = escape_from_parent(snapshot.processes(), process, root);
    entry.argv = Span<const char>{argv, read_argv(proc, process.pid, argv, sizeof(argv))};
    pack_entry(&out, entry);
    count++;
  }
  out.patch(at, count);
  report.size = out.size();
  return report;
}

}  // namespace procleash
