// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/guard.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "kernels/opencl/opencl.h"
#include "scheduler/flow/stage.h"

namespace tandem::bin {

/// The OpenCL devices of a bin as the scheduler's Device: a queue for each lane.
class QueueDevice final : public Device {
 public:
  int devices() const override { return device_count; }
  int kind(int device) const override { return kinds[static_cast<std::size_t>(device)]; }
  Status start(int lane) override {
    return guard([&]() -> Status {
      lanes[lane]->flush();
      return {};
    });
  }
  Status wait(int lane) override {
    return guard([&]() -> Status {
      lanes[lane]->finish();
      return {};
    });
  }
  Status start_timed(int lane) override {
    return guard([&]() -> Status {
      lanes[lane]->flush_timed();
      return {};
    });
  }
  uint64_t done_ns(int lane) const override { return lanes[lane]->done_ns(); }
  void pace(int lane, const std::atomic<bool>* stop) override { lanes[lane]->pace(stop); }
  std::shared_ptr<opencl::Context> context;
  // The context's and those of its further ones.
  std::atomic<int> device_count{1};
  std::array<std::atomic<int>, kMaxDevices> kinds{};
  std::array<std::unique_ptr<opencl::Queue>, kMaxDevices * kMaxLanes> lanes;
};
static_assert(opencl::kMostDevices <= kMaxDevices && opencl::kMostKinds <= kMaxLetters);

}  // namespace tandem::bin
