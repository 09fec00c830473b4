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

/// Queue of serialized events beside the frames in flight: an event leaves after the frame that
/// arrived before it, and before the next one.
///
/// mutex_ is never held while an event is sent.
class EventQueue {
 public:
  using Send = std::function<void(GstEvent*)>;  ///< takes ownership

  /// Queues the event and takes ownership. Returns false if no frame is in flight or kMostEvents
  /// wait: the caller then drains and sends it. `frames`: submitted in all. For the streaming
  /// thread.
  bool take(GstEvent* event, uint64_t frames);
  /// Sends the events that waited for frame number `frames`. Called before that frame ceases to
  /// count as in flight, so that draining includes its events. For the thread that pushes frames.
  void frame_left(uint64_t frames, const Send& send);
  /// Whether an event waits for frame number `frames`.
  bool has_behind(uint64_t frames);
  /// Empties the queue after a flush. Sticky events are stored on `src`, as in a GstQueue, unless
  /// it is null.
  void drop(uint64_t frames, GstPad* src);

 private:
  static constexpr std::size_t kMostEvents = 1024;
  struct Waiting {
    uint64_t frames;  // number of the frame that leaves before
    EventRef event;
  };

  std::mutex mutex_;
  uint64_t left_ = 0;
  std::deque<Waiting> waiting_;
};

}  // namespace tandem::bin
