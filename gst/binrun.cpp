// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/binrun.h"

#include "gst/util/guard.h"

namespace tandem {

class BinRun::QueueDevice final : public Device {
 public:
  Status wait() override {
    return guard([&]() -> Status {
      queue->finish();
      return {};
    });
  }
  std::shared_ptr<opencl::Context> context;
  std::unique_ptr<opencl::Queue> queue;
};

BinRun::BinRun(const std::vector<GstTandemStage*>& stages, int cores, Executor::DeviceFailed failed)
    : device_(std::make_unique<QueueDevice>()) {
  std::vector<Stage*> scheduled;
  for (GstTandemStage* stage : stages) {
    StageAdapter& adapter = gst_tandem_stage_adapter(stage);
    adapter.set_index(static_cast<int>(adapters_.size()));
    changes_pixels_ |= adapter.description().changes_pixels;
    adapters_.push_back(&adapter);
    scheduled.push_back(&adapter);
  }
  executor_ = std::make_unique<Executor>(scheduled, device_.get(), cores, std::move(failed));
  // One more than can be in flight: the frame that waits to be let in.
  for (int i = 0; i <= executor_->max_items(); ++i) {
    items_.push_back(std::make_unique<FrameItem>());
    idle_.push_back(items_.back().get());
  }
}

BinRun::~BinRun() {
  executor_.reset();
  for (StageAdapter* adapter : adapters_) {
    adapter->set_index(0);
    adapter->set_context(nullptr);
    adapter->forget();
  }
}

void BinRun::use_device(std::shared_ptr<opencl::Context> context) {
  std::lock_guard lock(mutex_);
  if (device_->context == context) return;
  device_->queue = std::make_unique<opencl::Queue>(context);
  device_->context = context;
  for (StageAdapter* adapter : adapters_) adapter->set_context(context);
}

std::shared_ptr<opencl::Context> BinRun::context() const {
  std::lock_guard lock(mutex_);
  return device_->context;
}

FrameItem* BinRun::acquire() {
  std::lock_guard lock(mutex_);
  g_assert(!idle_.empty());
  FrameItem* item = idle_.back();
  idle_.pop_back();
  item->queue = device_->queue.get();
  return item;
}

void BinRun::recycle(FrameItem* item) {
  std::lock_guard lock(mutex_);
  idle_.push_back(item);
}

}  // namespace tandem
