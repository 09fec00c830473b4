// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/eventqueue.h"

#include <utility>

namespace tandem::bin {

bool EventQueue::take(GstEvent* event, uint64_t frames) {
  std::lock_guard lock(mutex_);
  if (left_ == frames || waiting_.size() >= kMostEvents) return false;
  waiting_.push_back({frames, EventRef(event)});
  return true;
}

void EventQueue::frame_left(uint64_t frames, const Send& send) {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty() && waiting_.front().frames <= frames) {
    GstEvent* event = waiting_.front().event.release();
    waiting_.pop_front();
    lock.unlock();
    send(event);
    lock.lock();
  }
  left_ = frames;
}

bool EventQueue::has_behind(uint64_t frames) {
  std::lock_guard lock(mutex_);
  return !waiting_.empty() && waiting_.back().frames >= frames;
}

void EventQueue::drop(uint64_t frames, GstPad* src) {
  std::deque<Waiting> dropped;
  {
    std::lock_guard lock(mutex_);
    dropped = std::exchange(waiting_, {});
    left_ = frames;
  }
  for (const Waiting& waiting : dropped) {
    GstEvent* event = waiting.event.get();
    const bool stays = GST_EVENT_IS_STICKY(event) && GST_EVENT_TYPE(event) != GST_EVENT_SEGMENT;
    if (src && stays) gst_pad_store_sticky_event(src, event);
  }
}

}  // namespace tandem::bin
