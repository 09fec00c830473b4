// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/firstframe.h>
#include <gst/tandem/private/frame.h>

namespace tandem {

FirstFrame::FirstFrame(const GstTandemFrame& frame, std::size_t count)
    : video(frame.video->info),
      inputs(frame.inputs.begin(), frame.inputs.begin() + static_cast<std::ptrdiff_t>(count)) {
  for (const SlotTensor& input : inputs) memories.emplace_back(gst_memory_ref(input.memory));
}

}  // namespace tandem
