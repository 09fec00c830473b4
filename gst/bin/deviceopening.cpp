// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/deviceopening.h"

#include <utility>

namespace tandem {

void DeviceOpening::begin(std::span<StageAdapter* const> stages,
                          std::shared_ptr<opencl::Context> context, std::function<void()> joined) {
  stages_ = stages;
  context_ = std::move(context);
  joined_ = std::move(joined);
  for (StageAdapter* stage : stages_) stage->keep_first_frame();
  state_ = State::waits;
}

void DeviceOpening::frame_left() {
  if (state_ != State::waits) return;
  std::lock_guard lock(mutex_);
  if (ended_ || state_ != State::waits) return;
  state_ = State::builds;
  thread_ = std::thread([this] { build(); });
}

void DeviceOpening::join_now() {
  State waits = State::waits;
  if (!state_.compare_exchange_strong(waits, State::joined)) return;
  for (StageAdapter* stage : stages_) stage->set_context(context_);
}

void DeviceOpening::build() {
  for (StageAdapter* stage : stages_) {
    if (ended_) return;
    stage->build_for(context_);
  }
  if (ended_) return;
  for (StageAdapter* stage : stages_) stage->set_context(context_);
  state_ = State::joined;
  joined_();
}

void DeviceOpening::end() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  std::thread thread = std::exchange(thread_, {});
  lock.unlock();
  if (thread.joinable()) thread.join();
  context_.reset();
}

}  // namespace tandem
