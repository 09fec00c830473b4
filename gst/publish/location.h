// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

/// Files in PEM that a connection over TLS may need.
struct TlsFiles {
  std::string ca;           ///< certificates that vouch for the server; empty: the system's
  std::string certificate;  ///< the client's, and those that lead to it; empty: none
  std::string key;          ///< of `certificate`, without a passphrase; empty: it is in that file
};

/// Where lines are published: what a URI says.
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
  uint64_t most_lines = 0;  ///< Redis: the stream is cut to about so many; 0: it never is

  /// As a URI, without the password and what follows a question mark.
  std::string shown() const;
};

/// Reads `mqtt[s]://[user[:password]@]host[:port]/topic` or
/// `redis[s]://[[user]:password@]host[:port]/stream[?maxlen=LINES]`, where any character may be
/// written as %XX; the s asks for TLS. `password`: from elsewhere, for a URI without one. Throws
/// std::invalid_argument, which says what is wrong and repeats no password.
Location parse_location(std::string_view uri, const std::optional<std::string>& password = {});

/// Reads where a queue of jobs is: `redis[s]://[[user]:password@]host[:port]/queue`, else as above.
Location parse_queue_location(std::string_view uri);

/// The URI with dots in place of a password, whether it is a good one or not.
std::string without_password(std::string_view uri);

/// The first line of a file. Throws std::runtime_error, which names the file and not what is in it.
std::string read_password_file(const std::string& path);

/// The advice about a file with a secret that other users may read; empty if only its owner may.
std::string exposure_of(const std::string& path);

}  // namespace tandem
