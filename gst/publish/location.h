// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

/// Files in PEM that a connection over TLS may need.
struct TlsFiles {
  std::string ca;           ///< certificates of trusted authorities; empty: the system's
  std::string certificate;  ///< the client's, with its chain; empty: none
  std::string key;          ///< of `certificate`, without a passphrase; empty: it is in that file
};

/// The place to which lines are published, from a URI.
struct Location {
  enum class Protocol { kMqtt, kRedis };
  Protocol protocol = Protocol::kMqtt;
  bool tls = false;    ///< `mqtts://` or `rediss://`
  TlsFiles tls_files;  ///< no part of the URI
  std::string host;    ///< a name or an address, without the brackets of IPv6
  uint16_t port = 0;
  std::string user;                     ///< empty: none
  std::optional<std::string> password;  ///< never to be shown
  std::string name;                     ///< MQTT: the topic; Redis: the stream's key
  uint64_t most_lines = 0;  ///< Redis: the stream is trimmed to about this length; 0: never

  /// As a URI, without the password and what follows a question mark.
  std::string shown() const;
};

/// Reads `mqtt[s]://[user[:password]@]host[:port]/topic` or
/// `redis[s]://[[user]:password@]host[:port]/stream[?maxlen=LINES]`, where any character may be
/// written as %XX; the s selects TLS. `password`: for a URI without one. Throws
/// std::invalid_argument with the fault and without the password.
Location parse_location(std::string_view uri, const std::optional<std::string>& password = {});

/// Reads the place of a queue of jobs: `redis[s]://[[user]:password@]host[:port]/queue`, else as
/// above.
Location parse_queue_location(std::string_view uri);

/// The URI with dots in place of a password, for valid and invalid URIs.
std::string without_password(std::string_view uri);

/// The first line of a file. Throws std::runtime_error with the name of the file and without its
/// content.
std::string read_password_file(const std::string& path);

/// The advice about a file with a secret that other users may read; empty if only its owner may.
std::string exposure_of(const std::string& path);

}  // namespace tandem
