// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tandem::test {

/// A server on this machine that answers what the test wants it to.
class HttpServer {
 public:
  /// Gets a path, gives all the bytes to send; nothing: the connection stays open without an
  /// answer. Called on the server's thread.
  using Handler = std::function<std::optional<std::string>(const std::string& path)>;

  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  std::vector<std::string> requests() const;  ///< heads of the requests so far

 private:
  void serve();
  void answer(int connection);

  Handler handler_;
  mutable std::mutex mutex_;  // guards requests_
  std::vector<std::string> requests_;
  std::vector<int> silent_;  // connections that wait in vain
  int port_ = 0;
  int listener_;
  std::thread thread_;  // last: it uses all of the above
};

/// A whole answer with status 200.
std::string http_ok(const std::string& body);

/// A port of this machine on which nobody listens.
int closed_port();

}  // namespace tandem::test
