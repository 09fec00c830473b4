// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/batches.h"

#include <algorithm>

namespace tandem {
namespace {

// A batch is what a driver computes in kBatchNs, and kMostInABatch frames at most: the last frame
// of a batch is late by as much as the source or the sink needs to come when it is woken.
constexpr uint64_t kBatchNs = 100'000;
constexpr uint64_t kMostInABatch = 16;
// The largest part of the window that is a batch, 1 / kPartOfWindow: the frames that wait to begin
// when the sink stops come on top of those that may wait for the sink.
constexpr int kPartOfWindow = 32;
// The weight of a new service time in the average, 1 / kServiceWeight. One long frame ends batches.
constexpr uint64_t kServiceWeight = 4;

}  // namespace

void Batches::learn(uint64_t took_ns, int window) {
  const bool first = service_ns_ == 0;
  service_ns_ += took_ns / (first ? 1 : kServiceWeight) - service_ns_ / kServiceWeight;
  const auto most = std::min<uint64_t>(kMostInABatch, window / kPartOfWindow);
  size_ = service_ns_ == 0 ? 0 : static_cast<int>(std::min(kBatchNs / service_ns_, most));
  if (size_ == 1) size_ = 0;
}

void Batches::forget() {
  service_ns_ = 0;
  size_ = 0;
}

}  // namespace tandem
