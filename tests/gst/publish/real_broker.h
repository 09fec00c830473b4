// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gst/publish/location.h"

namespace tandem::test {

/// A process of this test's own, which ends with it.
class Process {
 public:
  Process() = default;
  ~Process() { end(9); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Starts a program; its output goes into `log`. Throws std::runtime_error.
  void start(const std::vector<std::string>& words, const std::string& log);
  bool runs();
  void signal(int number) const;
  void end(int signal_number);  ///< signals and waits; nothing when it does not run

 private:
  pid_t process_ = 0;
};

/// How a broker is reached over TLS.
struct BrokerTls {
  std::string names = "IP:127.0.0.1";  ///< whom its certificate is for
  int days = 2;                        ///< for how long; 0: it expires at once
  bool asks_clients = false;           ///< whether clients need a certificate
};

/// A broker on a free port of this machine, with a folder of its own, and someone who reads what
/// is published. All that it has acknowledged survives kill -9.
class RealBroker {
 public:
  explicit RealBroker(bool secure);
  virtual ~RealBroker();
  RealBroker(const RealBroker&) = delete;
  RealBroker& operator=(const RealBroker&) = delete;

  /// Waits until it takes connections. Throws std::runtime_error when it does not.
  void start();
  void kill() { process_.end(9); }
  void hang();  ///< stops its process; the kernel goes on to take connections and bytes

  /// The location of a topic or stream, with or without "user:password".
  std::string location(const std::string& user = {}) const;
  /// Files for its clients; the certificate is theirs. Made by start(); TLS alone.
  const TlsFiles& client_files() const { return client_files_; }
  /// What tandempublish needs beside the location, to be followed by further properties.
  std::string properties() const;
  const std::string& port() const { return secure() ? tls_port_ : port_; }
  BrokerTls tls;  ///< to be set before start()
  std::size_t most_line_bytes =
      0;  ///< it takes no more; 0: its own limit; to be set before start()

  /// A user of these is let in; once set, before start(), nobody else is.
  void require(const std::string& user, const std::string& password);

  /// Waits until the broker knows of the reader. Needed only where lines that nobody reads go.
  virtual void begin_to_read() {}
  /// All lines that have come, duplicates too. The broker must run.
  virtual std::vector<std::string> received() = 0;
  /// What the broker answers to its own client; Redis alone.
  virtual std::string ask(const std::vector<std::string>&) { return {}; }

 protected:
  virtual const char* scheme() const = 0;
  bool secure() const { return !tls_port_.empty(); }
  const TlsFiles& server_files() const { return server_files_; }
  virtual std::vector<std::string> command() = 0;
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  const std::string folder_;
  const std::string port_;      // in the clear: the reader's
  const std::string tls_port_;  // empty: it has none
  std::string user_, password_;

 private:
  void certify();

  TlsFiles server_files_, client_files_;
  Process process_;
};

/// Null where the broker is not installed, or openssl for one with TLS. "mqtt", "mqtts", "redis" or
/// "rediss".
std::unique_ptr<RealBroker> real_broker(const std::string& protocol);

}  // namespace tandem::test
