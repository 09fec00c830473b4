// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/handover.h"

#include <algorithm>

namespace tandem {
namespace {

// The part of the window that may wait for the sink alone, 1 / kWaitsForTheSink.
constexpr int kWaitsForTheSink = 4;

}  // namespace

Handover::Handover(const Parts& parts, int cores)
    : parts_(parts), cores_(cores), window_(parts.frames.size()) {}

void Handover::set_window(int items) {
  window_ = std::clamp(items, 2 * (cores_ + 1), parts_.frames.size());
  parts_.wakes.add(kSource);
}

bool Handover::waits_for_the_sink() {
  const int enough = std::max(window_ / kWaitsForTheSink, 2 * (cores_ + 1));
  return parts_.frames.only_for_sink() >= static_cast<uint64_t>(enough);
}

int Handover::most_waiting() const {
  const CurrentConfiguration& configuration = parts_.configuration;
  return configuration.drivers() + std::max(1, configuration.all_lanes()) - 1 + batches_.size();
}

// Without so many of the frames that wait to begin.
bool Handover::has_space(int besides) {
  return parts_.frames.waiting() - besides < most_waiting() &&
         parts_.frames.in_flight() - besides < window_ && !waits_for_the_sink();
}

void Handover::source_waits() {
  source_waits_ = true;
  source_waits_for_the_sink_ = waits_for_the_sink();
}

// The source is woken for half of a batch, and brings it while the other half is computed.
bool Handover::source_looks_again() {
  if (!source_waits_) return false;
  const bool for_a_batch = parts_.frames.waiting() < most_waiting() - batches_.size() / 2;
  return parts_.frames.aborted() || (for_a_batch && has_space()) ||
         waits_for_the_sink() != source_waits_for_the_sink_;
}

void Handover::let_in(Item* item, uint64_t held_ns, uint64_t now_ns) {
  source_waits_ = false;
  item->times.let_in_ns = now_ns;
  item->status = {};
  parts_.frames.submit(item, held_ns);
  parts_.wakes.add(kOneDriver);
}

Item* Handover::take_back() {
  if (parts_.frames.waiting() == 0 || !has_space(1)) return nullptr;
  return parts_.frames.withdraw();
}

// Batches are for frames that the cores alone compute: a device has lanes to fill, and takes
// longer. The sink is woken at once, unless a driver goes on with a frame that takes microseconds.
void Handover::done(const FrameEntry& entry) {
  if (parts_.configuration.get().mapping.any_device())
    batches_.forget();
  else
    batches_.learn(entry.item->times.service_ns(), window_);
  const bool opens = parts_.frames.is_next_to_take(entry.item->sequence);
  if (!opens && held_back_ == 0) return;  // it waits behind others, or the sink has been woken
  ++held_back_;
  if (held_back_ >= batches_.size() / 2) wake_sink();
}

void Handover::wake_sink() {
  held_back_ = 0;
  parts_.wakes.add(kSink);
}

}  // namespace tandem
