// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "gst/publish/broker.h"
#include "gst/publish/outbox.h"
#include "gst/publish/session.h"

namespace tandem {

struct PublisherStats {
  OutboxCounts lines;
  uint64_t reconnects = 0;
  bool connected = false;
};

/// Publishes lines on a thread of its own. A caller never waits for the broker.
class Publisher {
 public:
  /// Called on the publisher's thread; must not destroy the publisher.
  using Listener = std::function<void(const SessionNews&)>;

  /// Starts the thread. Keeps lines within `limits` while the broker is away. Throws
  /// std::system_error.
  Publisher(const OutboxLimits& limits, std::unique_ptr<Connector> connector, Listener listener);
  /// Closes the connection at once, in any state of the broker. Remaining lines are lost.
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  /// Appends a line. False: publishing has failed for good, as reported to the listener. A line
  /// longer than the limit of all lines is only counted.
  bool publish(std::string line);
  /// Counts a line as too long that is not to be published.
  void leave_out() { outbox_.leave_out(); }
  enum class Drained { kAll, kNotAll, kInterrupted };
  /// Waits until all lines are published, publishing has failed, `limit` is over or interrupt() is
  /// called.
  Drained drain(std::chrono::milliseconds limit);
  /// Makes drain() return at once, now and later, or lets it wait again. From any thread.
  void interrupt(bool interrupted = true);

  PublisherStats stats() const;

 private:
  class WakeFile;

  void run();
  void wait(const Session::Step& step);

  Outbox outbox_;
  const std::unique_ptr<Connector> connector_;
  Session session_;  // the thread's, except what it says of other threads
  const Listener listener_;
  const std::unique_ptr<WakeFile> wake_;
  std::mutex mutex_;  // guards interrupted_; drain() waits with it
  std::condition_variable changed_;
  bool interrupted_ = false;
  std::atomic<bool> stopping_{false}, failed_{false};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tandem
