// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/decision.h"

#include <iterator>

namespace tandem {

const char* to_string(Reason reason) {
  constexpr const char* kNames[] = {
      "caps",          "remembered",  "derived",   "drift", "asked",    "objective", "rules",
      "device-failed", "not-allowed", "too-short", "waits", "balanced", "neighbours"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Reason::neighbours) + 1);
  const auto at = static_cast<std::size_t>(reason);
  return at < std::size(kNames) ? kNames[at] : "";
}

}  // namespace tandem
