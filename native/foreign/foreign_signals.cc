#include "foreign/foreign_signals.h"

#include <errno.h>
#include <signal.h>

#include "core/clock.h"
#include "core/signals.h"
#include "foreign/members.h"

namespace procleash {
namespace {

// Whether the number still names the leader. The kernel knows it of one that has not ended, also where no
// descriptor is to be had for a look.
bool keeps_number(const ForeignTree& t, const Member& leader) {
  return (leader.pidfd >= 0 && !has_ended(leader)) || prove_same(t.proc, leader.last) == 0;
}

int signal_led_group(const ForeignTree& t, const Member& m, int signal) {
  GroupLeader leader;
  leader.pid = m.last.pid;
  leader.pidfd = UniqueFd(m.pidfd);
  leader.reaped = !keeps_number(t, m);
  const int error = signal_group(t.features, leader, signal);
  leader.pidfd.release();  // the member's own
  return error;
}

void ask(ForeignTree* t, Member* m, int signal) {
  const int signals[2] = {signal, SIGCONT};
  m->asked = true;
  const int error = signal_process(t->proc, t->features, m->last, Span<const int>{signals, 2});
  m->forbidden = error == EPERM;
}

bool ask_root_group(ForeignTree* t, int signal) {
  const Member* root = find_member(*t, t->root);
  if (root == nullptr || !root->ties_group || root->outsiders) return false;
  if (signal_led_group(*t, *root, signal) != 0) return false;
  // A signal waits in a stopped process: the handler runs once it is continued.
  signal_led_group(*t, *root, SIGCONT);
  return true;
}

}  // namespace

void kill_zombie_groups(ForeignTree* t) {
  for (const Member& m : t->found()) {
    const bool only_zombies = m.ties_group && m.pidfd >= 0 && m.group_zombies && !m.group_shown;
    if (only_zombies && !m.outsiders) signal_led_group(*t, m, SIGKILL);
  }
}

void ask_members(ForeignTree* t, int signal) {
  t->asked_at = start_ticks(now());
  t->asked_group = ask_root_group(t, signal);
  for (Member& m : t->found()) {
    if (t->asked_group && m.last.pgid == t->root) m.asked = true;
    if (m.alive && !m.asked) ask(t, &m, signal);
  }
}

void ask_missed(ForeignTree* t, int signal) {
  for (Member& m : t->found()) {
    if (!m.alive || m.asked || m.last.start >= t->asked_at) continue;
    // A group signal is atomic against fork: it reached also those that no picture showed.
    if (t->asked_group && m.last.pgid == t->root) continue;
    ask(t, &m, signal);
  }
}

size_t freeze_members(ForeignTree* t) {
  const int stop_signal = SIGSTOP;
  size_t hit = 0;
  for (Member& m : t->found()) {
    if (!m.alive || m.frozen) continue;
    m.frozen = true;
    const bool stopped = m.last.state == 'T' || m.last.state == 't';
    if (!stopped && signal_process(t->proc, t->features, m.last, Span<const int>{&stop_signal, 1}) == 0)
      hit++;
  }
  return hit;
}

size_t kill_members(ForeignTree* t, bool thorough) {
  size_t hit = 0;
  for (Member& m : t->found()) {
    // Atomic against fork, where a list of pids is not.
    m.group_hit = m.ties_group && !m.outsiders && signal_led_group(*t, m, SIGKILL) == 0;
    if (m.group_hit) hit++;
  }
  const int kill_signal = SIGKILL;
  for (Member& m : t->found()) {
    if (!m.alive) continue;
    const Member* leader = find_member(*t, m.last.pgid);
    if (!thorough && leader != nullptr && leader->group_hit) continue;
    const int error = signal_process(t->proc, t->features, m.last, Span<const int>{&kill_signal, 1});
    m.forbidden = error == EPERM;
    if (error == 0) hit++;
  }
  return hit;
}

void signal_root(const ForeignTree& t, int pidfd, int signal) {
  Process root;
  if (pidfd < 0 && t.features.pidfd) return;
  if (!read_process(t.proc, t.root, &root) || root.start != t.root_start) return;
  if (root.pgid != root.pid) {
    signal_process(t.proc, t.features, root, Span<const int>{&signal, 1});
    return;
  }
  GroupLeader leader;
  leader.pid = root.pid;
  leader.pidfd = UniqueFd(pidfd);
  signal_group(t.features, leader, signal);
  leader.pidfd.release();  // the caller's own
}

}  // namespace procleash
