// SPDX-License-Identifier: LGPL-2.1-or-later
// What a stage needs on a device, built while its frames are computed on the cores.
#include "gst/stage/stageadapter.h"

namespace tandem {

void StageAdapter::keep_first_frame(const SlotRequest& request) {
  auto first = std::make_unique<FirstFrame>();
  first->video = request.video;
  first->inputs.assign(request.inputs.begin(), request.inputs.end());
  for (const SlotTensor& input : request.inputs)
    first->memories.emplace_back(gst_memory_ref(input.memory));
  std::lock_guard lock(mutex_);
  first_frame_ = std::move(first);
}

void StageAdapter::build_for(const std::shared_ptr<opencl::Context>& context) {
  keeps_first_frame_ = false;
  std::unique_ptr<FirstFrame> first;
  {
    std::lock_guard lock(mutex_);
    first = std::move(first_frame_);
  }
  const auto settings = this->settings();
  if (!first || !settings || !description().has_opencl) return;
  std::lock_guard making(make_mutex_);
  try {
    // Programs stay with the context, kernels with the element.
    const ClassWork work(stage_, *settings, {first->video, first->inputs, context});
  } catch (const std::exception&) {
    // Who computes with it tells the user.
  }
}

}  // namespace tandem
