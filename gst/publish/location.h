// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

/// Where lines are published: what a URI says.
struct Location {
  enum class Protocol { kMqtt, kRedis };
  Protocol protocol = Protocol::kMqtt;
  bool tls = false;  ///< `rediss://`
  std::string host;  ///< a name or an address, without the brackets of IPv6
  uint16_t port = 0;
  std::string user;                     ///< empty: none
  std::optional<std::string> password;  ///< never to be shown
  std::string name;                     ///< MQTT: the topic; Redis: the stream's key
  uint64_t most_lines = 0;  ///< Redis: the stream is cut to about so many; 0: it never is

  /// As a URI, without the password and what follows a question mark.
  std::string shown() const;
};

/// Reads `mqtt://[user[:password]@]host[:port]/topic` or
/// `redis://[[user]:password@]host[:port]/stream[?maxlen=LINES]`, where any character may be
/// written as %XX. Throws std::invalid_argument, which says what is wrong and repeats no password.
Location parse_location(std::string_view uri);

/// Reads where a queue of jobs is: `redis[s]://[[user]:password@]host[:port]/queue`, else as above.
Location parse_queue_location(std::string_view uri);

/// The URI with dots in place of a password, whether it is a good one or not.
std::string without_password(std::string_view uri);

}  // namespace tandem
