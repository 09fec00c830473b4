// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tandem {

/// A line on its way. Ids count the lines from 0 on.
struct Outgoing {
  uint64_t id = 0;
  std::shared_ptr<const std::string> line;
};

struct OutboxCounts {
  uint64_t queued = 0;     ///< lines that wait for the broker's acknowledgement, sent or not
  uint64_t published = 0;  ///< lines that the broker acknowledged
  uint64_t dropped = 0;    ///< lines that had to go before an acknowledgement came
};

/// Lines in order, each kept until the broker acknowledges it or until newer ones need its place.
/// Any thread may call anything; no call waits for more than the others' few instructions.
class Outbox {
 public:
  /// Holds `capacity` lines, one at least.
  explicit Outbox(std::size_t capacity);

  /// Appends a line. When the box is full, the oldest one is dropped.
  void push(std::string line);
  /// The oldest lines that have not been taken, `most` of them at most.
  std::vector<Outgoing> take(std::size_t most);
  /// The broker has the line. Ids of lines that were dropped or not taken mean nothing.
  void acknowledge(uint64_t id);
  /// The connection is lost: all that was not acknowledged is to be taken again, in order.
  void rewind();

  bool awaiting() const;  ///< whether a line was taken that is not acknowledged
  OutboxCounts counts() const;

 private:
  struct Entry {
    std::shared_ptr<const std::string> line;
    bool acknowledged = false;
  };

  const std::size_t capacity_;
  mutable std::mutex mutex_;   // guards what follows; nothing is called under it
  std::deque<Entry> entries_;  // the front is never acknowledged
  uint64_t first_ = 0;         // id of the front
  uint64_t next_ = 0;          // id of the next to take; at least first_
  uint64_t acknowledged_ = 0;  // of entries_
  uint64_t published_ = 0;
  uint64_t dropped_ = 0;

  void pop_acknowledged();
};

}  // namespace tandem
