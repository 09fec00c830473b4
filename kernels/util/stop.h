// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>

namespace tandem {

/// Reports whether the result of a computation is no longer needed. Default: it is needed.
class Stop {
 public:
  Stop() = default;
  Stop(bool (*asks)(const void*), const void* of) : asks_(asks), of_(of) {}
  explicit Stop(const std::atomic<bool>& flag)
      : Stop([](const void* of) { return static_cast<const std::atomic<bool>*>(of)->load(); },
             &flag) {}

  bool operator()() const { return asks_ && asks_(of_); }

 private:
  bool (*asks_)(const void*) = nullptr;
  const void* of_ = nullptr;
};

}  // namespace tandem
