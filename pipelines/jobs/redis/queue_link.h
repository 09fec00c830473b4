// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gst/publish/session.h"
#include "pipelines/jobs/redis/connection.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {

/// Deadlines of the processes of a queue, which promise to end 3 s after a signal; a busy machine
/// needs some of them. A further signal changes nothing, because the server is being informed.
inline EndRules end_rules(std::string name) {
  return {.patience = std::chrono::milliseconds(2500),
          .last_patience = std::nullopt,
          .name = std::move(name)};
}

/// A queue over any number of connections.
template <typename Queue>
class QueueLink {
 public:
  using Clock = std::chrono::steady_clock;

  /// `tell`: called once for each outage, and for its end.
  QueueLink(std::function<std::unique_ptr<Queue>()> open,
            std::function<void(const std::string&)> tell)
      : open_(std::move(open)), tell_(std::move(tell)) {}

  /// Connects if necessary and calls `work` with the queue. False: the server was unreachable or
  /// got lost; call again. Calls before the end of the pause between two connections try nothing.
  /// Throws Failure if a retry would fail too.
  template <typename Work>
  bool attempt(Work&& work) {
    if (!queue_ && Clock::now() < retry_at_) return false;
    try {
      if (!queue_) queue_ = open_();
      work(*queue_);
      backoff_.reset();
      if (std::exchange(outage_told_, false)) tell_("the queue's server is back");
      return true;
    } catch (const RedisError& e) {
      queue_.reset();
      if (e.hopeless) throw Failure(std::string("the queue cannot be used: ") + e.what());
      retry_at_ = Clock::now() + backoff_.next();
      if (!std::exchange(outage_told_, true))
        tell_(std::string("no connection to the queue: ") + e.what() + "; trying again");
      return false;
    }
  }

 private:
  const std::function<std::unique_ptr<Queue>()> open_;
  const std::function<void(const std::string&)> tell_;
  std::unique_ptr<Queue> queue_;
  Backoff backoff_;
  Clock::time_point retry_at_{};
  bool outage_told_ = false;
};

}  // namespace tandem
