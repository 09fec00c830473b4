// SPDX-License-Identifier: LGPL-2.1-or-later
// What a build without hiredis links.
#include <stdexcept>

#include "gst/publish/brokers.h"

namespace tandem {

std::string missing_redis() {
  return "This build cannot speak to Redis. Install libhiredis-dev, then configure and build "
         "again.";
}

std::string refusal_by_redis(const Location&, const std::string&) { return {}; }
std::size_t longest_redis_line(const Location&) { return 0; }

std::unique_ptr<Broker> open_redis(const Location&, const std::string&, const std::string&) {
  throw std::runtime_error(missing_redis());
}

}  // namespace tandem
