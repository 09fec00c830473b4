// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gst/publish/broker.h"
#include "gst/publish/location.h"

namespace tandem {

/// What this build can do with the brokers of a protocol. Without the protocol's library it links a
/// stub, which has `missing` alone.
struct BrokerProtocol {
  /// Why the build cannot speak the protocol, and what to do; empty: it can.
  const char* missing = "";
  /// Why no broker of the protocol would ever take what the location or the client's id says, and
  /// what would be taken; empty: one may. Repeats no password.
  std::string (*refusal)(const Location& location, const std::string& client_id) = nullptr;
  /// The longest line (bytes) that the protocol can carry.
  std::size_t (*longest_line)(const Location& location) = nullptr;
  /// Connects to one address of the location's host, numeric. `client_id`: empty when the broker is
  /// to choose; with Redis the connection's name in CLIENT LIST. Never waits; what goes wrong is
  /// told by the connection's first turns. Throws std::invalid_argument when trying again would not
  /// help, as with a file for TLS that cannot be read, or std::runtime_error.
  std::unique_ptr<Broker> (*open)(const Location& location, const std::string& client_id,
                                  const std::string& address) = nullptr;
};

extern const BrokerProtocol kMqttProtocol, kRedisProtocol;

inline const BrokerProtocol& protocol_of(const Location& location) {
  return location.protocol == Location::Protocol::kMqtt ? kMqttProtocol : kRedisProtocol;
}

}  // namespace tandem
