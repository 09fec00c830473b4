// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gst/publish/broker.h"
#include "gst/publish/outbox.h"

namespace tandem {

/// Pauses between attempts to connect: 0.1 s, doubling to 5 s.
class Backoff {
 public:
  std::chrono::milliseconds next();
  void reset() { pause_ = kFirst; }

 private:
  static constexpr std::chrono::milliseconds kFirst{100}, kLongest{5000};
  std::chrono::milliseconds pause_ = kFirst;
};

/// The news of a session for the application.
struct SessionNews {
  enum class Kind {
    kConnected,
    kLost,      ///< once until the broker acknowledges a line or stays connected; `why`
    kDropping,  ///< the outbox is full and its oldest lines are dropped; once until it is empty
                ///< again
    kDropped,   ///< it is empty again; `dropped` has the count
    kTooLong,   ///< the broker does not accept a line, which is removed; `why`, `line`
    kFailed     ///< a retry would fail too; `why`
  };
  Kind kind;
  std::string why;
  uint64_t dropped = 0;                     ///< lines since the session began
  std::shared_ptr<const std::string> line;  ///< of kTooLong
};

/// Moves the lines of an outbox to a broker, each at least once and in order, over any number of
/// connections. It has neither thread nor clock: the caller of step() has both.
class Session {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kConnectLimit{5};   ///< from opening to acceptance
  static constexpr std::chrono::seconds kSilenceLimit{10};  ///< between acknowledgements
  /// Brokers close the connection at a line that is longer than they accept, many without a reason.
  /// The longest line in flight is then sent alone. It is skipped after this many connections in a
  /// row that the broker closed.
  static constexpr int kMostLosses = 5;
  /// A shorter line (bytes) is never skipped: limits of brokers are higher.
  static constexpr std::size_t kLeastSuspect = 16384;

  /// The events that allow the next step: the file, the time, or new lines in the outbox.
  struct Step {
    pollfd file{-1, 0, 0};
    Time until;
    std::vector<SessionNews> news;
  };

  /// Both must outlive the session.
  Session(Outbox& outbox, Connector& connector) : outbox_(outbox), connector_(connector) {}

  /// Does all that can be done now.
  Step step(Time now);
  /// Closes the connection. Lines without an acknowledgement will be taken again.
  void close();

  // From any thread:
  /// The next step tries to connect, whatever pause is due, and pauses are short again.
  void hurry() { hurry_ = true; }
  bool connected() const { return connected_; }
  bool failed() const { return failed_; }
  uint64_t reconnects() const { return reconnects_; }  ///< connections after the first

 private:
  void open(Time now, Step& step);
  void exchange(Time now, Step& step);
  bool take_in(BrokerEvents events, Time now, Step& step);
  void lose(std::string why, bool hopeless, Time now, Step& step);
  void tell_of_drops(Step& step);
  void suspect(const std::string& why, Step& step);
  void refuse(uint64_t id, std::string why, Step& step);
  Room room();

  Outbox& outbox_;
  Connector& connector_;
  std::unique_ptr<Broker> broker_;
  bool more_addresses_ = false;
  std::optional<Time> deadline_;  // of the broker's next reply; none before the first turn
  Backoff backoff_;
  Time retry_at_{}, connected_since_{};
  bool outage_told_ = false, dropping_told_ = false, was_connected_ = false;
  std::optional<uint64_t> suspect_;  // a line that may be longer than the broker accepts
  int losses_ = 0;                   // connections in a row with the suspect alone under way
  uint64_t dropped_before_ = 0;      // when the outbox was last empty
  std::atomic<bool> connected_{false}, failed_{false}, hurry_{false};
  std::atomic<uint64_t> reconnects_{0};
};

}  // namespace tandem
