// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "gst/publish/broker.h"
#include "gst/publish/location.h"

namespace tandem {

/// Why this build cannot speak the protocol, and what to do; empty: it can.
std::string missing_support(Location::Protocol protocol);

/// Connects to one address of the location's host, numeric. `client_id`: empty when the broker is
/// to choose. Never waits; what goes wrong is told by the connection's first turns. Throws
/// std::invalid_argument when trying again would not help, as with a file for TLS that cannot be
/// read, or std::runtime_error.
std::unique_ptr<Broker> open_mqtt(const Location& location, const std::string& client_id,
                                  const std::string& address);
/// The same; `client_id` is the connection's name in CLIENT LIST.
std::unique_ptr<Broker> open_redis(const Location& location, const std::string& client_id,
                                   const std::string& address);

// Of one protocol each; a build without its library links a stub.
std::string missing_mqtt();
std::string missing_redis();

}  // namespace tandem
