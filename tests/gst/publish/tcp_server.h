// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace tandem::test {

/// A server on a free port of this machine that serves one connection after the other.
class TcpServer {
 public:
  /// `serve` is called on the server's thread for each connection, which is closed when it returns.
  explicit TcpServer(std::function<void(int client)> serve);
  ~TcpServer();
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  const std::string& port() const { return port_; }

  static std::string receive(int file);  ///< waits; empty when the other side has closed
  static bool send(int file, const std::string& bytes);
  static int connect(const std::string& port);  ///< to this machine; -1 when nobody listens

 private:
  const std::function<void(int)> serve_;
  const int listener_;
  std::string port_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace tandem::test
