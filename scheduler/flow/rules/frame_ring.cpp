// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/frame_ring.h"

#include <algorithm>
#include <utility>

namespace tandem {

void FrameRing::submit(Item* item, uint64_t held_ns) {
  item->sequence = next_submit_;
  entry(next_submit_++) = {.item = item, .state = FrameEntry::State::queued, .held_ns = held_ns};
}

Item* FrameRing::withdraw() { return std::exchange(entry(--next_submit_), {}).item; }

FrameEntry& FrameRing::begin() {
  FrameEntry& begun = entry(next_begin_++);
  begun.state = FrameEntry::State::running;
  ++running_;
  return begun;
}

void FrameRing::finish(FrameEntry& entry) {
  --running_;
  entry.state = FrameEntry::State::done;
}

uint64_t FrameRing::only_for_sink() {
  next_finish_ = std::max(next_finish_, next_take_);
  while (next_finish_ < next_begin_ && entry(next_finish_).state == FrameEntry::State::done)
    ++next_finish_;
  return next_finish_ - released_;
}

bool FrameRing::can_take() const {
  return next_take_ < next_submit_ && entry(next_take_).state == FrameEntry::State::done;
}

Item* FrameRing::take(uint64_t woken_ns) {
  FrameEntry& oldest = entry(next_take_++);
  oldest.state = FrameEntry::State::empty;
  ready_ns_ = std::max({ready_ns_, oldest.item->times.end_ns, woken_ns});
  oldest.item->times.ready_ns = ready_ns_;
  return std::exchange(oldest.item, nullptr);
}

void FrameRing::release(uint64_t now_ns) {
  ++released_;
  if (spaced_) released_ns_ = now_ns;
}

void FrameRing::abort() {
  aborted_ = true;
  for (; next_begin_ < next_submit_; ++next_begin_) {
    entry(next_begin_).state = FrameEntry::State::done;
    entry(next_begin_).item->status = Status::failed("aborted");
  }
}

}  // namespace tandem
