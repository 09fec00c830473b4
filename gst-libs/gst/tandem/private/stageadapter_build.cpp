// SPDX-License-Identifier: LGPL-2.1-or-later
// Which devices a stage has, and what it needs on them: built while its frames are computed on the
// cores.
#include <gst/tandem/private/stageadapter.h>

namespace tandem {

bool StageAdapter::has_device(int kind) const {
  std::lock_guard lock(mutex_);
  return kind < std::ssize(contexts_) && suits_device(kind);
}

// The state of a serial stage is with one kind.
bool StageAdapter::suits_device(int kind) const {
  return description().has_opencl && (kind == 0 || !description().serial);
}

void StageAdapter::keep_first_frame(const SlotRequest& request) {
  auto first = std::make_unique<FirstFrame>();
  first->video = request.video;
  first->inputs.assign(request.inputs.begin(), request.inputs.end());
  for (const SlotTensor& input : request.inputs)
    first->memories.emplace_back(gst_memory_ref(input.memory));
  std::lock_guard lock(mutex_);
  first_frame_ = std::move(first);
}

void StageAdapter::build_for(std::span<const std::shared_ptr<opencl::Context>> kinds) {
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
      const ClassWork work(stage_, *settings, {first->video, first->inputs, kinds[kind]});
    } catch (const std::exception&) {
      // A thread that computes with this work reports the error.
    }
  }
}

// The memory of frames that the cores computed until now: gigabytes where frames are large, which
// would be made again while all of the cores are at work.
void StageAdapter::inherit(const PooledWork& made) {
  std::shared_ptr<const PooledWork> before;
  {
    std::lock_guard lock(mutex_);
    before = current_[static_cast<std::size_t>(made.kind)];
  }
  if (!before || before->pools.size() != made.pools.size()) return;
  for (std::size_t i = 0; i < made.pools.size(); ++i) made.pools[i]->take_over(*before->pools[i]);
}

}  // namespace tandem
