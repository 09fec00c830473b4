// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/deviceopening.h"

#include <gst/gst.h>

#include <chrono>
#include <system_error>
#include <utility>

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem {
namespace {

template <class Body>
void timed(const std::string& what, Body&& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  GST_DEBUG("programs of %s built in %.3f s", what.c_str(), took.count());
}

}  // namespace

void DeviceOpening::expect(std::span<StageAdapter* const> stages, BinFusion& fusion) {
  stages_ = stages;
  fusion_ = &fusion;
  for (StageAdapter* stage : stages_) stage->keep_first_frame();
  state_ = State::opens;
}

void DeviceOpening::open_with(std::function<void()> open) {
  opened_ = false;
  const auto body = [this, open = std::move(open)] {
    open();
    opened_ = true;
    opened_.notify_all();
  };
  try {
    opener_ = std::thread(body);
  } catch (const std::system_error&) {
    body();
  }
}

void DeviceOpening::found(std::vector<std::shared_ptr<opencl::Context>> kinds,
                          std::function<void()> joined) {
  kinds_ = std::move(kinds);
  joined_ = std::move(joined);
  state_ = State::waits;
}

void DeviceOpening::none_found() {
  State opens = State::opens;
  if (!state_.compare_exchange_strong(opens, State::idle)) return;
  for (StageAdapter* stage : stages_) stage->build_for({});  // lets go of the frame
}

void DeviceOpening::frame_left() {
  if (state_ != State::waits) return;
  std::lock_guard lock(mutex_);
  if (ended_ || state_ != State::waits) return;
  state_ = State::builds;
  try {
    builder_ = std::thread([this] { build(); });
  } catch (const std::system_error&) {
    state_ = State::waits;  // for a thread, at the next frame
  }
}

void DeviceOpening::join_now() {
  State waits = State::waits;
  if (!state_.compare_exchange_strong(waits, State::joined)) return;
  fusion_->use_device(kinds_.front());
  join();
}

void DeviceOpening::join() {
  for (StageAdapter* stage : stages_) stage->set_contexts(kinds_);
}

// Stages that share a program wait for the one that builds it.
void DeviceOpening::build_side_by_side() {
  std::vector<std::jthread> builders;
  for (StageAdapter* stage : stages_) {
    const auto build = [stage, this] { timed(stage->name(), [&] { stage->build_for(kinds_); }); };
    try {
      builders.emplace_back(build);
    } catch (const std::system_error&) {
      build();
    }
  }
  timed("passes of several stages", [this] { fusion_->use_device(kinds_.front()); });
}

void DeviceOpening::build() {
  build_side_by_side();
  if (ended_) return;
  join();
  state_ = State::joined;
  joined_();
}

void DeviceOpening::end() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  std::thread opener = std::exchange(opener_, {}), builder = std::exchange(builder_, {});
  lock.unlock();
  if (opener.joinable()) opener.join();
  if (builder.joinable()) builder.join();
  kinds_.clear();
}

}  // namespace tandem
