// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gst/publish/broker.h"
#include "gst/publish/location.h"

namespace tandem {

/// The functions of this build for the brokers of a protocol. Without the protocol's library it
/// links a stub, which has `missing` alone.
struct BrokerProtocol {
  /// The reason why the build does not support the protocol, and what to do; empty: it does.
  const char* missing = "";
  /// The reason why no broker of the protocol accepts this location or client id, and what it
  /// accepts; empty: one may. Repeats no password.
  std::string (*refusal)(const Location& location, const std::string& client_id) = nullptr;
  /// The longest line (bytes) that the protocol can carry.
  std::size_t (*longest_line)(const Location& location) = nullptr;
  /// Connects to one address of the location's host, numeric. `client_id`: empty: the broker
  /// chooses; with Redis the connection's name in CLIENT LIST. Never waits; the connection's first
  /// turns report errors. Throws std::invalid_argument if a retry would fail too, as with a TLS
  /// file that cannot be read, or std::runtime_error.
  std::unique_ptr<Broker> (*open)(const Location& location, const std::string& client_id,
                                  const std::string& address) = nullptr;
};

extern const BrokerProtocol kMqttProtocol, kRedisProtocol;

inline const BrokerProtocol& protocol_of(const Location& location) {
  return location.protocol == Location::Protocol::kMqtt ? kMqttProtocol : kRedisProtocol;
}

}  // namespace tandem
