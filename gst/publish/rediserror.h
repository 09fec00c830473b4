// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string_view>

namespace tandem {

/// Whether a Redis server will say the same next time. What passes: it loads its file, is out of
/// memory, cannot write to disk, is a replica for now.
constexpr bool redis_error_stays(std::string_view error) {
  for (const std::string_view passing :
       {"LOADING", "OOM", "MISCONF", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY",
        "NOREPLICAS", "UNKILLABLE", "ERR max number of clients"}) {
    if (error.starts_with(passing)) return false;
  }
  return true;
}

}  // namespace tandem
