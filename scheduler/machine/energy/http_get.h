// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace tandem {

struct HttpResult {
  std::string body;
  std::string error;  ///< empty: all went well
};

/// Fetches small documents from one plain HTTP server, as monitoring servers are. One request a
/// connection; no redirects, no chunks, no encryption.
class HttpClient {
 public:
  /// Looks the name up, which may block: set-up only. Throws std::runtime_error.
  HttpClient(std::string host, int port);

  /// GET `path`, asking for JSON. Gives up after `timeout`, after more than `most_bytes`, or when
  /// `stop_file` (-1: none) becomes readable.
  HttpResult get(const std::string& path, std::chrono::milliseconds timeout, std::size_t most_bytes,
                 int stop_file) const;

  const std::string& address() const { return address_; }  ///< "localhost:9738"

 private:
  struct Target {
    sockaddr_storage address{};
    socklen_t size = 0;
  };
  std::string address_;
  std::vector<Target> targets_;
};

}  // namespace tandem
