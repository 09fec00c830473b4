// SPDX-License-Identifier: LGPL-2.1-or-later
// Items that take microseconds are handed over several at a time: to put a thread to sleep and to
// wake it takes as long as such an item.
#include <algorithm>

#include "scheduler/flow/dispatch.h"

namespace tandem {
namespace {

// What a driver computes in that time is handed over together, and how many items at most: the last
// of them is as late as the source or the sink is in coming when it is woken.
constexpr uint64_t kBatchNs = 100'000;
constexpr uint64_t kMostInABatch = 16;
// At most this part of the window: what waits to begin when the sink stops comes on top of what may
// wait for the sink.
constexpr int kPartOfWindow = 32;
// Part of the average that a new service time is: a quarter. One long item ends batches.
constexpr uint64_t kServiceWeight = 4;

}  // namespace

// Of items that the cores alone compute. A device has lanes to fill, and takes longer.
void Dispatch::learn_service(uint64_t took_ns) {
  if (current_.mapping.any_device()) return forget_service();
  const bool first = service_ns_ == 0;
  service_ns_ += took_ns / (first ? 1 : kServiceWeight) - service_ns_ / kServiceWeight;
  const auto most = std::min<uint64_t>(kMostInABatch, window_ / kPartOfWindow);
  batch_ = service_ns_ == 0 ? 0 : static_cast<int>(std::min(kBatchNs / service_ns_, most));
  if (batch_ == 1) batch_ = 0;
}

void Dispatch::forget_service() {
  service_ns_ = 0;
  batch_ = 0;
}

// It is woken for half of a batch, and brings that while the other half is computed.
bool Dispatch::source_looks_again() {
  if (!source_waits_) return false;
  const bool for_a_batch = waiting() < most_waiting() - batch_ / 2;
  return aborted_ || (for_a_batch && has_space()) ||
         waits_for_the_sink() != source_waits_for_the_sink_;
}

// Another item is done. The sink is told of it at once, unless a driver goes on with an item that
// takes microseconds: then of several together.
void Dispatch::tell_sink(const Entry& done) {
  const bool opens = done.item->sequence == next_take_;
  if (!opens && held_back_ == 0) return;  // it waits behind others, or the sink has been told
  ++held_back_;
  if (held_back_ >= batch_ / 2 || !may_begin()) call_sink();
}

void Dispatch::call_sink() {
  held_back_ = 0;
  wakes_ |= kSink;
}

}  // namespace tandem
