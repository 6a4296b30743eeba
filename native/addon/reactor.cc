#include "addon/reactor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "addon/foreign_jobs.h"
#include "addon/lease.h"
#include "addon/orphans.h"
#include "addon/supervisor_link.h"

namespace procleash {
namespace {

constexpr uint64_t kWakeKey = ~0ULL;
constexpr uint64_t kHelperKey = 1ULL << 63;  // with the descriptor that watches it
constexpr int kMaxEvents = 64;

void handle_event(Reactor* r, uint64_t key, uint32_t events) {
  Command* c = find_command(r, static_cast<uint32_t>(key >> 2));
  if (c == nullptr) return;
  const auto what = static_cast<uint32_t>(key & 3);
  if (what == kWatchLease) {
    if ((events & EPOLLOUT) != 0) flush_lease(r, c);
    read_lease(r, c);
  } else if (what == kWatchIn) {
    if ((events & EPOLLERR) != 0) {
      end_input(r, c, EPIPE);
    } else {
      flush_input(r, c);
    }
  } else {
    const auto index = static_cast<int>(what - kWatchOut);
    // Another event of the same round may have ended it.
    c->output[index].readable = !c->output[index].ended;
    read_output(r, c, index);
  }
  close_if_done(r, c);
}

void drain_wake(Reactor* r) {
  uint64_t count = 0;
  while (read(r->wake, &count, sizeof(count)) < 0 && errno == EINTR) {
  }
}

// Reading went on as far as credit and slots allowed; JavaScript has given more since.
void look_at_streams(Reactor* r) {
  r->look_at_streams = false;
  for (uint32_t i = 0; i < r->commands_room; i++) {
    Command* c = r->commands[i];
    if (c == nullptr) continue;
    for (int index = 0; index < 2; index++) {
      if (c->output[index].cancelled) end_output(r, c, index, 0);
      if (c->output[index].readable) read_output(r, c, index);
    }
    flush_input(r, c);
    close_if_done(r, c);
  }
}

// Runs what is due and gives the next deadline.
Nanos run_timers(Reactor* r) {
  Nanos next = kNever;
  Command** place = &r->timed;
  while (*place != nullptr) {
    Command* c = *place;
    run_command_timers(r, c, now());
    // It may have let the lock go, and JavaScript may have put another one before it.
    while (*place != c) place = &(*place)->next_timed;
    const Nanos deadline = command_deadline(*c);
    if (deadline == kNever) {
      *place = c->next_timed;
      c->timed = false;
      close_if_done(r, c);
      continue;
    }
    next = min(next, deadline);
    place = &c->next_timed;
  }
  return next;
}

// epoll_wait counts milliseconds; rounding up keeps it from spinning just before the deadline.
int patience(Nanos deadline) {
  if (deadline == kNever) return -1;
  const Nanos left = deadline - now();
  return left <= 0 ? 0 : static_cast<int>(min<Nanos>((left + kMillisecond - 1) / kMillisecond, 60'000));
}

void release_helper(Reactor* r, int watch) {
  reap_supervisor(watch);
  // A copy: closing it alone would leave it in the set, since the original keeps the description open
  // (epoll(7)).
  epoll_ctl(r->epoll, EPOLL_CTL_DEL, watch, nullptr);
  close(watch);
  if (watch == r->helper_watch) r->helper_watch = -1;
  // Another one may have taken its place before this was noticed.
  watch_helper(r);
}

void* run(void* data) {
  auto* r = static_cast<Reactor*>(data);
  struct epoll_event events[kMaxEvents];
  Nanos next_spare = kNever;
  pthread_mutex_lock(&r->lock);
  while (!r->quit) {
    // Jobs first: they take a while, and what is due meanwhile is run right after.
    const Nanos next_job = run_foreign_jobs(r);
    const Nanos next_look = run_orphans(r);
    const Nanos next_timer = run_timers(r);
    const bool notice = wants_notice(r);
    const Nanos next_notice = notice_deadline(*r);
    const bool started = r->started_one;
    r->started_one = false;
    pthread_mutex_unlock(&r->lock);
    if (notice) notify_javascript(r);
    if (started || now() >= next_spare) next_spare = tend_spare(started);
    const int wait = patience(min(min(min(next_job, next_look), min(next_timer, next_notice)), next_spare));
    const int count = epoll_wait(r->epoll, events, kMaxEvents, wait);
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < count; i++) {
      if (events[i].data.u64 == kWakeKey) {
        drain_wake(r);
      } else if ((events[i].data.u64 & kHelperKey) != 0) {
        release_helper(r, static_cast<int>(events[i].data.u64 & ~kHelperKey));
      } else {
        handle_event(r, events[i].data.u64, events[i].events);
      }
    }
    if (r->look_at_streams) look_at_streams(r);
  }
  pthread_mutex_unlock(&r->lock);
  // Nobody would see to it.
  if (next_spare != kNever) forget_spare();
  return nullptr;
}

int add_watch(int epoll, int fd, uint32_t events, uint64_t key) {
  struct epoll_event event = {};
  event.events = events;
  event.data.u64 = key;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

// The thread starts with every signal blocked: handlers of the runtime run in its own threads only.
int start_thread(Reactor* r) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256U << 10);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&r->thread, &attributes, run, r);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace

int start_reactor(Reactor* r) {
  r->helper_watch = -1;
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return errno;
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return errno;
  int error = add_watch(epoll.get(), wake.get(), EPOLLIN, kWakeKey);
  if (error != 0) return error;
  r->epoll = epoll.get();
  r->wake = wake.get();
  error = start_thread(r);
  r->running = error == 0;
  if (r->running) {
    epoll.release();
    wake.release();
  } else {
    r->epoll = 0;
    r->wake = 0;
  }
  return error;
}

void stop_reactor(Reactor* r) {
  if (!r->running) return;
  {
    Lock lock(r);
    r->quit = true;
    wake_thread(r);
  }
  pthread_join(r->thread, nullptr);
  r->running = false;
  disable_orphans(r);
  for (uint32_t i = 0; i < r->commands_room; i++) {
    if (r->commands[i] != nullptr) free_command(r, r->commands[i]);
  }
  free_foreign_jobs(r);
}

void free_reactor_memory(Reactor* r) {
  const int fds[] = {r->epoll, r->wake, r->helper_watch};
  for (int fd : fds) {
    if (fd > 0) close(fd);
  }
  free(r->helper);
  free(r->disabled);
  free(r->cgroups);
  free(r->records);
  free(r->commands);
  free(r->scratch);
}

int watch(Reactor* r, Command* c, uint32_t what, int fd, uint32_t events) {
  return add_watch(r->epoll, fd, events, (static_cast<uint64_t>(c->handle) << 2) | what);
}

void wake_thread(Reactor* r) {
  const uint64_t one = 1;
  ssize_t ignored = write(r->wake, &one, sizeof(one));
  (void)ignored;
}

void wake_for_streams(Reactor* r) {
  r->look_at_streams = true;
  wake_thread(r);
}

void watch_helper(Reactor* r) {
  pid_t pid = 0;
  const int watch = watch_supervisor(r->watched_helper, &pid);
  if (watch < 0) return;
  const uint64_t key = kHelperKey | static_cast<uint64_t>(watch);
  if (add_watch(r->epoll, watch, EPOLLIN | EPOLLRDHUP, key) != 0) {
    // The next command tries again.
    close(watch);
    return;
  }
  r->watched_helper = pid;
  r->helper_watch = watch;
}

void set_timed(Reactor* r, Command* c) {
  if (c->timed) return;
  c->timed = true;
  c->next_timed = r->timed;
  r->timed = c;
}

}  // namespace procleash
