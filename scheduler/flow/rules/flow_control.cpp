// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/flow_control.h"

#include <algorithm>

namespace tandem {
namespace {

// The part of the window that may wait for the sink alone, 1 / kWaitsForTheSink.
constexpr int kWaitsForTheSink = 4;
// A batch has the frames that a worker computes in kBatchNs, and at most kMostInABatch. Its last
// frame is late by the time that the source or the sink needs to come when it is woken.
constexpr uint64_t kBatchNs = 100'000;
constexpr uint64_t kMostInABatch = 16;
// The largest part of the window that is a batch, 1 / kPartOfWindow. Frames that wait to begin when
// the sink stops come on top of those that may wait for the sink.
constexpr int kPartOfWindow = 32;
// The weight of a new service time in the average, 1 / kServiceWeight. One long frame ends batches.
constexpr uint64_t kServiceWeight = 4;

}  // namespace

FlowControl::FlowControl(FrameRing& frames, const CurrentConfiguration& configuration,
                         Wakeups& wakeups, int cores)
    : frames_(frames),
      configuration_(configuration),
      wakeups_(wakeups),
      cores_(cores),
      window_(frames.size()) {}

void FlowControl::set_window(int items) {
  window_ = std::clamp(items, 2 * (cores_ + 1), frames_.size());
  wakeups_.add(kSource);
}

void FlowControl::set_period(int frames) {
  period_ = frames;
  wakeups_.add(kSource);
}

bool FlowControl::waits_for_the_sink() {
  const int enough = std::max(window_ / kWaitsForTheSink, 2 * (cores_ + 1));
  return frames_.only_for_sink() >= static_cast<uint64_t>(enough);
}

int FlowControl::most_waiting() const {
  const int computed = configuration_.workers() + std::max(1, configuration_.all_lanes()) - 1;
  return computed * period_ + batch_;
}

// Without so many of the frames that wait to begin.
bool FlowControl::has_space(int besides) {
  return frames_.waiting() - besides < most_waiting() && frames_.in_flight() - besides < window_ &&
         !waits_for_the_sink();
}

void FlowControl::source_waits() {
  source_waits_ = true;
  source_waits_for_the_sink_ = waits_for_the_sink();
}

// The source is woken for half of a batch, and brings it while the other half is computed.
bool FlowControl::source_should_wake() {
  if (!source_waits_) return false;
  const bool for_a_batch = frames_.waiting() < most_waiting() - batch_ / 2;
  return frames_.aborted() || (for_a_batch && has_space()) ||
         waits_for_the_sink() != source_waits_for_the_sink_;
}

void FlowControl::let_in(Item* item, uint64_t held_ns, uint64_t now_ns) {
  source_waits_ = false;
  item->times.let_in_ns = now_ns;
  item->status = {};
  frames_.submit(item, held_ns);
  wakeups_.add(kOneWorker);
}

Item* FlowControl::take_back() {
  if (frames_.waiting() == 0 || !has_space(1)) return nullptr;
  return frames_.withdraw();
}

// Batches are for frames that the cores alone compute: a device has lanes to fill, and takes
// longer. The sink is woken at once, unless a worker goes on with a frame that takes microseconds.
void FlowControl::done(const FrameEntry& entry) {
  if (configuration_.get().mapping.any_device())
    forget_batches();
  else if (entry.path.length() > 0)
    learn_batch(entry.item->times.service_ns());
  const bool opens = frames_.is_next_to_take(entry.item->sequence);
  if (!opens && held_back_ == 0) return;  // it waits behind others, or the sink has been woken
  ++held_back_;
  if (held_back_ >= batch_ / 2) wake_sink();
}

void FlowControl::learn_batch(uint64_t took_ns) {
  const bool first = service_ns_ == 0;
  service_ns_ += took_ns / (first ? 1 : kServiceWeight) - service_ns_ / kServiceWeight;
  const auto most = std::min<uint64_t>(kMostInABatch, window_ / kPartOfWindow);
  batch_ = service_ns_ == 0 ? 0 : static_cast<int>(std::min(kBatchNs / service_ns_, most));
  if (batch_ == 1) batch_ = 0;
}

void FlowControl::wake_sink() {
  held_back_ = 0;
  wakeups_.add(kSink);
}

}  // namespace tandem
