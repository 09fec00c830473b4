// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string_view>

namespace tandem {

/// Whether a Redis server will report the same error next time. Errors pass while it loads its
/// file, is out of memory, cannot write to disk or is a replica.
constexpr bool redis_error_stays(std::string_view error) {
  for (const std::string_view passing :
       {"LOADING", "OOM", "MISCONF", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY",
        "NOREPLICAS", "UNKILLABLE", "ERR max number of clients"}) {
    if (error.starts_with(passing)) return false;
  }
  return true;
}

/// The server wants a user or a password that it did not get.
constexpr bool redis_error_is_of_login(std::string_view error) {
  return error.starts_with("WRONGPASS") || error.find("AUTH") != error.npos;
}

}  // namespace tandem
