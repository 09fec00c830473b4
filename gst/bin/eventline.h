// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace tandem::bin {

using EventRef = MiniObjectRef<GstEvent>;

/// Serialized events on their way past the frames in flight: each leaves after the frame that came
/// before it, and before the next one.
///
/// mutex_ is never held while an event is sent.
class EventLine {
 public:
  using Send = std::function<void(GstEvent*)>;  ///< takes over the event

  /// For the streaming thread, which handed on so many frames in all. True when the line took over
  /// the event; false when no frame is in flight, or kMostEvents wait: then the caller drains and
  /// sends it.
  bool take(GstEvent* event, uint64_t frames);
  /// For the thread that pushes frames: so many have left. Sends what waited for the last of them.
  /// To be called before that frame ceases to count as in flight, so that who drains waits for its
  /// events as well.
  void frame_left(uint64_t frames, const Send& send);
  /// Whether an event waits for the last of so many frames to leave.
  bool has_behind(uint64_t frames);
  /// After a flush: of what waits only sticky events stay, on `src`, as in a GstQueue. Null: none.
  void drop(uint64_t frames, GstPad* src);

 private:
  static constexpr std::size_t kMostEvents = 1024;
  struct Waiting {
    uint64_t frames;  // that leave before
    EventRef event;
  };

  std::mutex mutex_;
  uint64_t left_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace tandem::bin
