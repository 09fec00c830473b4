// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gst/publish/location.h"

namespace tandem {

/// The reply of a server.
struct RedisReply {
  enum class Kind { kNothing, kText, kNumber, kList, kError } kind = Kind::kNothing;
  std::string text;
  int64_t number = 0;
  std::vector<RedisReply> list;

  /// An element of a list; kNothing if there is no such element.
  const RedisReply& operator[](std::size_t i) const;
};

/// The words of a command.
using RedisCommand = std::vector<std::string>;

/// The server is unreachable or refuses. The message repeats neither password nor sent data.
class RedisError : public std::runtime_error {
 public:
  RedisError(const std::string& what, bool is_hopeless)
      : std::runtime_error(what), hopeless(is_hopeless) {}
  bool hopeless;  ///< a retry would fail too
};

/// Throws RedisError if the reply is of another kind.
void expect(const RedisReply& reply, RedisReply::Kind kind);

struct RedisSettings {
  Location location;
  std::string ca_file;  ///< certificates of trusted authorities, as PEM; empty: the system's
  std::string name;     ///< of the connection in CLIENT LIST
};

/// A connection that waits for each answer, in the clear or over TLS. hiredis writes and reads the
/// protocol; a Wire sends and receives, because Debian 12's hiredis has no TLS.
class RedisConnection {
 public:
  /// Time limit of a call, extended by the time of its bytes at kLeastRate.
  static constexpr std::chrono::seconds kPatience{10};
  static constexpr uint64_t kLeastRate = 100 << 10;  ///< bytes a second
  /// A million jobs in a hash have some 200 MB.
  static constexpr uint64_t kMostReplyBytes = 256 << 20, kMostElements = 4'000'000;

  /// Connects and logs in. Throws RedisError.
  explicit RedisConnection(const RedisSettings& settings);
  ~RedisConnection();

  /// Sends all commands at once and returns a reply for each. Throws RedisError: it is then unknown
  /// which commands were executed, and the connection is unusable. Only a group that is there
  /// already (BUSYGROUP) is an answer and no error.
  std::vector<RedisReply> ask_all(const std::vector<RedisCommand>& commands);
  RedisReply ask(const RedisCommand& command) {
    return std::move(ask_all(std::vector<RedisCommand>{command})[0]);
  }
  /// A reply of this kind. Throws RedisError for any other, which no Redis server sends.
  RedisReply ask(const RedisCommand& command, RedisReply::Kind kind) {
    RedisReply reply = ask(command);
    expect(reply, kind);
    return reply;
  }

 private:
  struct Private;
  std::unique_ptr<Private> private_;
};

}  // namespace tandem
