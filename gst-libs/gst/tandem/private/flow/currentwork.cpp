// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/description.h>
#include <gst/tandem/private/flow/currentwork.h>
#include <gst/tandem/private/frame.h>

#include <stdexcept>
#include <utility>

namespace tandem {

void CurrentWork::describe() {
  StageDescription made = describe_now(stage_);
  std::lock_guard lock(mutex_);  // of has_device(), which an ended run may still call
  description_ = std::move(made);
}

void CurrentWork::set_contexts(std::vector<std::shared_ptr<opencl::Context>> contexts) {
  {
    std::lock_guard lock(mutex_);
    if (contexts_ == contexts) return;
    contexts_ = std::move(contexts);
  }
  if (description().has_opencl) ++generation_;
}

void CurrentWork::use(std::shared_ptr<const StageSettings> settings) {
  {
    std::lock_guard lock(mutex_);
    if (settings_ && settings_->all == settings->all) return;
    settings_ = std::move(settings);
  }
  ++generation_;
}

std::shared_ptr<const StageSettings> CurrentWork::settings() const {
  std::lock_guard lock(mutex_);
  return settings_;
}

// The state of a serial stage is with one kind.
bool CurrentWork::suits_device(int kind) const {
  return description().has_opencl && (kind == 0 || !description().serial);
}

bool CurrentWork::has_device(int kind) const {
  std::lock_guard lock(mutex_);
  return kind < std::ssize(contexts_) && suits_device(kind);
}

bool CurrentWork::can_split() const {
  if (!has_device(0)) return false;
  std::lock_guard lock(mutex_);  // an ended run may call it while the next one describes
  return description().has_cpu && description().whole.empty();
}

std::shared_ptr<opencl::Context> CurrentWork::context(int kind) const {
  std::lock_guard lock(mutex_);
  const bool on_device = description().has_opencl && kind < std::ssize(contexts_);
  return on_device ? contexts_[static_cast<std::size_t>(kind)] : nullptr;
}

bool CurrentWork::give_current(GstTandemFrame& frame, int kind) const {
  {
    std::lock_guard lock(mutex_);
    frame.work = current_[static_cast<std::size_t>(kind)];
  }
  if (!frame.work) return false;
  try {
    if (frame.work->generation == generation_ &&
        frame.work->is_for(frame, description().inputs.size()) && frame.fits())
      return true;
  } catch (...) {
    frame.work.reset();
    throw;
  }
  frame.work.reset();
  return false;
}

std::shared_ptr<GstTandemWork> CurrentWork::make(const FirstFrame& first, int kind) const {
  // Before they are read: a change meanwhile makes new work.
  const unsigned generation = generation_;
  const auto make_on = [&](const std::shared_ptr<opencl::Context>& on) {
    return std::make_shared<GstTandemWork>(stage_, settings(), first, on);
  };
  std::shared_ptr<GstTandemWork> made;
  const std::shared_ptr<opencl::Context> on = context(kind);
  try {
    made = make_on(on);
  } catch (const opencl::Error& e) {
    // The CPU can do it all the same. StageAdapter::enqueue() reports the reason.
    if (!description().has_cpu)
      throw std::runtime_error(std::string(element_name(stage_)) + ": " + e.what());
    if (!on) throw;
    made = make_on(nullptr);
    made->device_problem = e.what();
  }
  made->generation = generation;
  made->kind = kind;
  made->make_pools(first);
  return made;
}

// The memory of frames that the cores computed until now: gigabytes where frames are large, which
// would be made again while all of the cores are at work.
void CurrentWork::inherit(const GstTandemWork& made) const {
  std::shared_ptr<const GstTandemWork> before;
  {
    std::lock_guard lock(mutex_);
    before = current_[static_cast<std::size_t>(made.kind)];
  }
  if (!before || before->pools.size() != made.pools.size()) return;
  for (std::size_t i = 0; i < made.pools.size(); ++i) made.pools[i]->take_over(*before->pools[i]);
}

void CurrentWork::give(GstTandemFrame& frame, int kind) {
  if (give_current(frame, kind)) return;
  std::lock_guard making(make_mutex_);
  if (give_current(frame, kind)) return;
  auto first = std::make_unique<FirstFrame>(frame, description().inputs.size());
  const std::shared_ptr<GstTandemWork> made = make(*first, kind);
  inherit(*made);
  frame.work = made;
  frame.notice = made->take_notice();
  std::lock_guard lock(mutex_);
  if (keeps_first_frame_.exchange(false)) first_frame_ = std::move(first);
  current_[static_cast<std::size_t>(kind)] = made;
}

void CurrentWork::forget() {
  std::lock_guard lock(mutex_);
  current_.fill(nullptr);
  first_frame_.reset();
}

void CurrentWork::build_for(std::span<const std::shared_ptr<opencl::Context>> kinds) {
  keeps_first_frame_ = false;
  std::unique_ptr<FirstFrame> first;
  {
    std::lock_guard lock(mutex_);
    first = std::move(first_frame_);
  }
  const auto settings = this->settings();
  if (!first || !settings) return;
  std::lock_guard making(make_mutex_);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (!suits_device(static_cast<int>(kind))) continue;
    try {
      // Programs stay with the context, kernels with the element.
      const GstTandemWork work(stage_, settings, *first, kinds[kind]);
    } catch (const std::exception&) {
      // A thread that computes with this work reports the error.
    }
  }
}

}  // namespace tandem
