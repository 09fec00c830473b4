// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/tensorspec.h>
#include <gst/video/video.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"

/// One frame at one stage, as the library keeps it behind a GstTandemFrame.
namespace tandem {

/// A tensor of one frame.
struct SlotTensor {
  TensorSpec spec;
  GstMemory* memory = nullptr;       ///< borrowed
  opencl::Buffer* buffer = nullptr;  ///< what the memory holds
};

/// Pointers are borrowed and valid while the stage works on the frame.
struct SlotFrame {
  const GstVideoFrame* video = nullptr;
  /// Luma of the frame before as it came to the stages, of the same size, for a stage whose
  /// description needs_previous; no data: this is the first.
  Plane<const uint8_t> previous;
  std::array<SlotTensor, kMaxTensors> inputs, outputs;
  std::array<void*, kMaxTensors> host_inputs{}, host_outputs{};  ///< set when the CPU computes
  /// Rows that earlier bands have uploaded to each output.
  std::array<int, kMaxTensors> uploaded{};
  /// Once it is set, what the CPU computes of the frame is of no use any more. May be null.
  const std::atomic<bool>* stop = nullptr;
};

/// What a stage's work is made for.
struct SlotRequest {
  const GstVideoInfo& video;
  std::span<const SlotTensor> inputs;        ///< of the first frame; later ones have the same specs
  std::shared_ptr<opencl::Context> context;  ///< null: CPU only
};

}  // namespace tandem
