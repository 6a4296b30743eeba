#include "foreign/recorder.h"

#include <signal.h>

#include "core/clock.h"
#include "core/signals.h"
#include "foreign/process_events.h"

namespace procleash {
namespace {

// Looks at the lists: from the first gap, after something has changed, to the longest. Never so often that
// they take more than a tenth of a core.
constexpr Nanos kFirstLook = 2 * kMillisecond;
constexpr Nanos kLongestLook = 25 * kMillisecond;
constexpr Nanos kLookRest = 9;
// Whole pictures: a twentieth of a core at most. With events only their losses are looked for.
constexpr Nanos kPictureGap = 100 * kMillisecond;
constexpr Nanos kPictureGapWithoutLists = 10 * kMillisecond;
constexpr Nanos kPictureGapWithEvents = kSecond;
constexpr Nanos kPictureRest = 19;
// Children that one look adds at most; the next look finds the others.
constexpr size_t kMostNew = 256;

// Which numbers belong to members, by the events. A number is given to another process by a birth only, so
// that this is exact also for processes that are gone before they can be looked at. (PID_MAX_LIMIT bits, of
// which only those in use are ever touched.)
constexpr uint32_t kNumbers = 1U << 22;
uint8_t kin_numbers[kNumbers / 8];

bool is_kin(pid_t pid) {
  const auto number = static_cast<uint32_t>(pid);
  return number < kNumbers && (kin_numbers[number / 8] & (1U << (number % 8))) != 0;
}

void set_kin(pid_t pid, bool kin) {
  const auto number = static_cast<uint32_t>(pid);
  // Only what changes is written: an untouched page takes no memory.
  if (number >= kNumbers || is_kin(pid) == kin) return;
  kin_numbers[number / 8] ^= static_cast<uint8_t>(1U << (number % 8));
}

void forget_numbers() {
  for (uint8_t& byte : kin_numbers) {
    if (byte != 0) byte = 0;
  }
}

bool is_never(const ForeignTree& t, pid_t pid) {
  for (size_t i = 0; i < t.never_count; i++) {
    if (t.never[i] == pid) return true;
  }
  return false;
}

// Puts a process in that is not known yet, and gives its place. Null where it is known, or without memory.
Member* put(Recorder* r, const Process& process, bool orphan) {
  ForeignTree* t = r->tree;
  const Member* known = find_member(*t, process.pid);
  if (known != nullptr && known->last.start == process.start) return nullptr;
  return add_member(t, process, escape_from_root(process, t->root_group, t->root_session, orphan));
}

void take_birth(Recorder* r, const Birth& birth) {
  const bool kin = is_kin(birth.parent) && !is_never(*r->tree, birth.child);
  set_kin(birth.child, kin);
  if (!kin) return;
  r->births++;
  Process process;
  if (!read_process(r->tree->proc, birth.child, &process)) return;
  // Somebody who got the number since was started later (one tick is left for the rounding).
  if (process.start > start_ticks(birth.time) + 1 || !process.alive()) return;
  Member* m = put(r, process, process.ppid != birth.parent);
  if (m == nullptr || !r->kill_new) return;
  const int kill_signal = SIGKILL;
  signal_process(r->tree->proc, r->tree->features, m->last, Span<const int>{&kill_signal, 1});
}

void note_numbers(const ForeignTree& t) {
  for (const Member& m : t.found()) {
    if (m.alive) set_kin(m.last.pid, true);
  }
}

struct Look {
  Recorder* recorder;
  Process found[kMostNew];
  size_t count;
  const Member* parent;
};

void note_child(void* context, pid_t pid) {
  auto* look = static_cast<Look*>(context);
  const ForeignTree& t = *look->recorder->tree;
  Process child;
  if (look->count == kMostNew || is_never(t, pid) || !read_process(t.proc, pid, &child)) return;
  if (child.ppid != look->parent->last.pid || !child.alive()) return;
  const Member* known = find_member(t, pid);
  if (known == nullptr || known->last.start != child.start) look->found[look->count++] = child;
}

bool reads_lists(const Recorder& r) { return !r.events.valid() && r.tree->features.children; }

Nanos picture_gap(const Recorder& r) {
  if (r.events.valid()) return kPictureGapWithEvents;
  return reads_lists(r) ? kPictureGap : kPictureGapWithoutLists;
}

// The lists of all members once. Gives how many are new.
size_t look_at_children(Recorder* r) {
  static Look look;
  look.recorder = r;
  look.count = 0;
  ForeignTree* t = r->tree;
  for (const Member& m : t->found()) {
    if (!m.alive) continue;
    const size_t before = look.count;
    look.parent = &m;
    // Any of its threads may have forked; how many it has may be news.
    for_each_child(t->proc, m.last.pid, max(m.last.threads, 2U), note_child, &look);
    if (look.count == before) continue;
    // Whose list was that? The number may have gone to somebody else meanwhile.
    Process again;
    if (!read_process(t->proc, m.last.pid, &again) || again.start != m.last.start) look.count = before;
  }
  for (size_t i = 0; i < look.count; i++) put(r, look.found[i], false);
  return look.count;
}

// Those who came while the lists were read have lists of their own. Bounded: a tree may fork all the time.
size_t look_until_still(Recorder* r) {
  size_t added = 0;
  for (int depth = 0; depth < 8; depth++) {
    const size_t more = look_at_children(r);
    added += more;
    if (more == 0) break;
  }
  return added;
}

void look(Recorder* r) {
  const Nanos began = now();
  const size_t added = look_until_still(r);
  const Nanos end = now();
  r->gap = added > 0 ? kFirstLook : min(r->gap * 3 / 2, kLongestLook);
  r->next_look = end + max(r->gap, (end - began) * kLookRest);
}

}  // namespace

void open_recorder(Recorder* r, bool try_events) {
  r->gap = kFirstLook;
  if (try_events) r->events = open_process_events();
  // Twice: whoever is born while the first is taken has a parent in the second, or an event.
  take_picture(r);
  take_picture(r);
}

void take_picture(Recorder* r) {
  if (!r->tree->naming) forget_ended(r->tree);
  take_snapshot(r->tree->proc, r->snapshot);
  if (r->snapshot->error == 0) {
    const size_t before = r->tree->living;
    const size_t added = take_in(r->tree, r->snapshot->processes());
    if (added > 0 || r->tree->living != before) r->gap = kFirstLook;
    if (r->events.valid()) note_numbers(*r->tree);
  }
  r->next_picture = now() + max(picture_gap(*r), r->snapshot->cost * kPictureRest);
}

void take_events(Recorder* r) {
  const bool whole = read_births(
      r->events.get(),
      [](void* context, const Birth& birth) { take_birth(static_cast<Recorder*>(context), birth); }, r);
  if (whole) return;
  // What was lost may have given any number to anybody.
  forget_numbers();
  take_picture(r);
}

void close_recorder(Recorder* r) { close_process_events(&r->events); }

Nanos step_recorder(Recorder* r) {
  const Nanos time = now();
  if (time >= r->next_picture) take_picture(r);
  if (!reads_lists(*r)) return r->next_picture;
  if (time >= r->next_look) look(r);
  return min(r->next_look, r->next_picture);
}

}  // namespace procleash
