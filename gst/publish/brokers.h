// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gst/publish/broker.h"
#include "gst/publish/location.h"

namespace tandem {

/// Why this build cannot speak the protocol, and what to do; empty: it can.
std::string missing_support(Location::Protocol protocol);

/// Why no broker of the protocol would ever take what the location or the client's id says, and
/// what would be taken; empty: one may. Repeats no password.
std::string refusal_by_protocol(const Location& location, const std::string& client_id);

/// The longest line (bytes) that the protocol can carry.
std::size_t longest_line(const Location& location);

/// Connects to one address of the location's host, numeric. `client_id`: empty when the broker is
/// to choose. Never waits; what goes wrong is told by the connection's first turns. Throws
/// std::invalid_argument when trying again would not help, as with a file for TLS that cannot be
/// read, or std::runtime_error.
std::unique_ptr<Broker> open_mqtt(const Location& location, const std::string& client_id,
                                  const std::string& address);
/// The same; `client_id` is the connection's name in CLIENT LIST.
std::unique_ptr<Broker> open_redis(const Location& location, const std::string& client_id,
                                   const std::string& address);

// One protocol each; a build without its library links a stub.
std::string missing_mqtt();
std::string missing_redis();
std::string refusal_by_mqtt(const Location& location, const std::string& client_id);
std::string refusal_by_redis(const Location& location, const std::string& client_id);
std::size_t longest_mqtt_line(const Location& location);
std::size_t longest_redis_line(const Location& location);

}  // namespace tandem
