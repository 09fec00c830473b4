// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/frame.h>
#include <gst/tandem/private/ref.h>
#include <gst/tandem/private/slottensor.h>
#include <gst/video/video.h>

#include <cstddef>
#include <vector>

namespace tandem {

/// The frame that a stage's work is made for: its size and the tensors that the stage reads. Later
/// frames of the same work differ in the content alone.
struct FirstFrame {
  /// Keeps references to the first `inputs` tensors of `frame`.
  FirstFrame(const GstTandemFrame& frame, std::size_t inputs);

  GstVideoInfo video;
  std::vector<SlotTensor> inputs;
  std::vector<MemoryRef> memories;  ///< of the inputs
};

}  // namespace tandem
