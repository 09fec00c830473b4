// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/flow/rules/frame_entry.h"

namespace tandem {

/// The frames in flight, in the order of the stream: submitted, begun, done, taken, released. The
/// memory is allocated once.
class FrameRing {
 public:
  explicit FrameRing(int size) : ring_(static_cast<std::size_t>(size)) {}

  int size() const { return static_cast<int>(ring_.size()); }
  FrameEntry& entry(uint64_t sequence) { return ring_[sequence % ring_.size()]; }
  const FrameEntry& entry(uint64_t sequence) const { return ring_[sequence % ring_.size()]; }

  int in_flight() const { return static_cast<int>(next_submit_ - released_); }
  int waiting() const { return static_cast<int>(next_submit_ - next_begin_); }  ///< to begin
  int running() const { return running_; }  ///< begun and not done, the parked ones included
  bool empty() const { return released_ == next_submit_; }
  bool all_taken() const { return next_take_ == next_submit_; }
  uint64_t next_to_begin() const { return next_begin_; }  ///< its sequence
  bool has_begun(uint64_t sequence) const { return sequence < next_begin_; }
  uint64_t begun_after(uint64_t sequence) const { return next_begin_ - sequence - 1; }
  bool is_next_to_take(uint64_t sequence) const { return sequence == next_take_; }

  void submit(Item* item, uint64_t held_ns);
  /// Removes the frame submitted last, which has not begun, as if it had never been submitted.
  Item* withdraw();

  /// While frames are spaced, each begins after all before it have been released.
  void set_spaced(bool spaced) { spaced_ = spaced; }
  bool spaced() const { return spaced_; }
  bool can_begin() const {
    return next_begin_ < next_submit_ && !(spaced_ && released_ < next_begin_);
  }
  FrameEntry& begin();
  void finish(FrameEntry& entry);
  /// How many frames wait for nothing but the sink: done, with all before them done.
  uint64_t only_for_sink();

  bool can_take() const;
  /// The oldest; after can_take(). `woken_ns`: when the sink woke up, if it waited for this frame.
  Item* take(uint64_t woken_ns);
  /// The frame taken last leaves. `now_ns` matters while frames are spaced.
  void release(uint64_t now_ns);
  uint64_t released_ns() const { return released_ns_; }  ///< of the last one, while spaced

  /// Frames that have not begun are done, and fail.
  void abort();
  bool aborted() const { return aborted_; }
  void resume() { aborted_ = false; }
  uint64_t next_submitted() const { return next_submit_; }  ///< sequence of the next one

 private:
  std::vector<FrameEntry> ring_;
  uint64_t next_submit_ = 0, next_begin_ = 0, next_take_ = 0, released_ = 0;  ///< sequences
  uint64_t next_finish_ = 0;  ///< all before are done; only_for_sink() brings it up to date
  int running_ = 0;
  uint64_t ready_ns_ = 0;  ///< when all taken frames were done
  bool spaced_ = false;
  uint64_t released_ns_ = 0;
  bool aborted_ = false;
};

}  // namespace tandem
