// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/deviceopening.h"

#include <system_error>
#include <utility>
#include <vector>

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
  try {
    thread_ = std::thread([this] { open(); });
  } catch (const std::system_error&) {
    state_ = State::waits;  // for a thread, at the next frame
  }
}

void DeviceOpening::join_now() {
  State waits = State::waits;
  if (!state_.compare_exchange_strong(waits, State::joined)) return;
  for (StageAdapter* stage : stages_) stage->set_context(context_);
}

// Stages that share a program wait for the one that builds it.
void DeviceOpening::build_side_by_side() {
  std::vector<std::jthread> builders;
  for (StageAdapter* stage : stages_) {
    try {
      builders.emplace_back([stage, this] { stage->build_for(context_); });
    } catch (const std::system_error&) {
      stage->build_for(context_);
    }
  }
}

void DeviceOpening::open() {
  build_side_by_side();
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
