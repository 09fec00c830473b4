// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

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

}  // namespace tandem
