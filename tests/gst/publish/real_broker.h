// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

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

/// A broker on a free port of this machine, with a folder of its own, and someone who reads what
/// is published. All that it has acknowledged survives kill -9.
class RealBroker {
 public:
  RealBroker();
  virtual ~RealBroker();
  RealBroker(const RealBroker&) = delete;
  RealBroker& operator=(const RealBroker&) = delete;

  /// Waits until it takes connections. Throws std::runtime_error when it does not.
  void start();
  void kill() { process_.end(9); }
  void hang();  ///< stops its process; the kernel goes on to take connections and bytes

  /// The location of a topic or stream, with or without "user:password".
  std::string location(const std::string& user = {}) const;
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
  virtual std::vector<std::string> command() = 0;
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  const std::string folder_;
  const std::string port_;
  std::string user_, password_;

 private:
  Process process_;
};

/// Null where the broker is not installed. "mqtt" or "redis".
std::unique_ptr<RealBroker> real_broker(const std::string& protocol);

}  // namespace tandem::test
