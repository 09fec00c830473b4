// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>

namespace tandem {

/// Nanoseconds of the steady clock.
inline uint64_t now_ns() {
  using namespace std::chrono;
  return static_cast<uint64_t>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

inline double seconds(uint64_t ns) { return 1e-9 * static_cast<double>(ns); }
inline double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Processor time that a clock of a process or thread has counted, in seconds; 0 where it cannot be
/// read.
inline double processor_time_s(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace tandem
