// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gst/publish/broker.h"

namespace tandem {

/// A line to be sent. Ids count the lines from 0.
struct Outgoing {
  uint64_t id = 0;
  std::shared_ptr<const std::string> line;
};

/// Each line that was pushed is in one of these.
struct OutboxCounts {
  uint64_t queued = 0;     ///< lines that wait for the broker's acknowledgement, sent or not
  uint64_t published = 0;  ///< lines that the broker acknowledged
  uint64_t dropped = 0;    ///< lines removed because the box was full
  uint64_t too_long = 0;   ///< lines that exceed a limit of the box or the broker
  uint64_t bytes = 0;      ///< of the queued lines, as far as the box holds them
};

struct OutboxLimits {
  std::size_t lines = 0;  ///< 0 counts as 1
  std::size_t bytes = 0;  ///< of all lines
};

/// Lines in order, each kept until the broker acknowledges it or until newer ones need its place.
/// A line in flight whose place is needed leaves the box, and counts as queued until it is
/// delivered or dropped. If the broker acknowledges it, it is delivered; if the connection is lost,
/// it is dropped. Thread-safe. The lock is held for a few instructions only.
class Outbox {
 public:
  explicit Outbox(const OutboxLimits& limits);

  /// Appends a line. When the box is full, the oldest ones are dropped. False: the line is longer
  /// than the whole box; it is counted and not kept.
  bool push(std::string line);
  /// Counts a line as too long that was not pushed.
  void leave_out();
  /// The oldest lines that have not been taken: `most.lines` at most, and no further one once they
  /// have `most.bytes`.
  std::vector<Outgoing> take(const Room& most);
  /// The broker has the line. No effect for lines that were not taken, or that were in flight when
  /// an earlier connection was lost.
  void acknowledge(uint64_t id);
  /// The broker accepts no line of this length: it is removed and counted as too long. Returns the
  /// line; null: the box no longer holds it.
  std::shared_ptr<const std::string> refuse(uint64_t id);
  /// The connection is lost: all that was not acknowledged is to be taken again, in order.
  void rewind();

  bool awaiting() const;  ///< whether a line was taken that is not acknowledged
  std::optional<Outgoing> longest_under_way() const;  ///< of those that the box still holds
  bool holds(uint64_t id) const;
  OutboxCounts counts() const;

 private:
  using Line = std::shared_ptr<const std::string>;  // null once it is acknowledged or refused

  void drop_oldest();
  void pop_front();
  bool finish(uint64_t id);

  const OutboxLimits limits_;
  mutable std::mutex mutex_;       // guards what follows; nothing is called under it
  std::deque<Line> entries_;       // the front is not null
  uint64_t first_ = 0;             // id of the front
  uint64_t next_ = 0;              // id of the next to take; at least first_
  uint64_t done_ = 0;              // entries that are null
  std::set<uint64_t> pushed_out_;  // under way and no longer in entries_; ids below first_
  uint64_t bytes_ = 0;             // of entries_
  uint64_t published_ = 0;
  uint64_t dropped_ = 0;
  uint64_t too_long_ = 0;
};

}  // namespace tandem
