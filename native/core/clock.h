// The one clock of deadlines: CLOCK_MONOTONIC, in nanoseconds. It does not jump with the wall clock, and host
// and keeper read the same one, so that a deadline can travel between them as an absolute number.
#pragma once

#include <stdint.h>
#include <time.h>
#include <unistd.h>

namespace procleash {

using Nanos = int64_t;

constexpr Nanos kMillisecond = 1'000'000;
constexpr Nanos kSecond = 1'000'000'000;
constexpr Nanos kNever = INT64_MAX;

// Both not negative: what lies past the end of the clock is never.
constexpr Nanos later(Nanos time, Nanos span) { return span > kNever - time ? kNever : time + span; }

constexpr Nanos nanos_of(double milliseconds) {
  return static_cast<Nanos>(milliseconds * static_cast<double>(kMillisecond));
}

inline Nanos now() {
  struct timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<Nanos>(t.tv_sec) * kSecond + t.tv_nsec;
}

inline Nanos boot_time() {
  struct timespec t = {};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<Nanos>(t.tv_sec) * kSecond + t.tv_nsec;
}

// The clock tick, as /proc/PID/stat gives a start time, that began last at that moment.
inline uint64_t start_ticks(Nanos monotonic) {
  // Start times count from boot, suspended time included; the difference of the two clocks is that time. On a
  // busy machine we may not run between the two readings, and that is no part of it.
  Nanos ahead = 0;
  for (int attempt = 0; attempt < 10; attempt++) {
    const Nanos before = now();
    ahead = boot_time() - before;
    if (now() - before < kMillisecond) break;
  }
  const long per_second = sysconf(_SC_CLK_TCK);
  return static_cast<uint64_t>((monotonic + ahead) / (kSecond / (per_second > 0 ? per_second : 100)));
}

// What ppoll(2) may wait until the deadline; null for ever.
inline struct timespec* until(Nanos deadline, struct timespec* space) {
  if (deadline == kNever) return nullptr;
  Nanos left = deadline - now();
  if (left < 0) left = 0;
  space->tv_sec = left / kSecond;
  space->tv_nsec = left % kSecond;
  return space;
}

}  // namespace procleash
