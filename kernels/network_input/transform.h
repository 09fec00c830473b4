// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "kernels/network/model_info.h"
#include "kernels/resize/axis.h"
#include "kernels/util/detection.h"

namespace tandem::network {

/// Where a frame lies in a network's input. All sides are pixels, at least 1.
struct Placement {
  int frame_width = 1, frame_height = 1;
  int input_width = 1, input_height = 1;
  int x = 0, y = 0, width = 1, height = 1;  ///< the frame's part of the input

  bool operator==(const Placement&) const = default;
};

/// Fit::letterbox: as large as the input allows, in its middle. Fit::stretch: all of the input.
Placement place_frame(int frame_width, int frame_height, int input_width, int input_height,
                      ModelInfo::Fit fit);

/// A detection in pixels of the input, in pixels of the frame. Boxes may reach beyond the frame.
Detection to_frame(const Placement& placement, const Detection& detection);

/// How a video codes colours. The defaults are full range of BT.601.
struct YuvMatrix {
  double kr = 0.299, kb = 0.114;  ///< weights of red and blue in luma
  double luma_zero = 0, luma_range = 255;
  double chroma_zero = 128, chroma_range = 255;
};

/// One channel of the input: level = luma Y + u U + v V + offset, input = level scale + shift.
struct ChannelMap {
  float luma = 1, u = 0, v = 0, offset = 0;
  float scale = 1, shift = 0;
  float padding = 0;  ///< the input around the frame
};

/// Everything about a network's input that is the same for all frames of one format.
struct InputTransform {
  struct Frame {
    int width = 1, height = 1;
    int chroma_width = 0, chroma_height = 0;  ///< samples; 0: grey
    YuvMatrix matrix{};
  };
  /// A network with one channel gets luma.
  InputTransform(const ModelInfo& info, int input_channels, int input_width, int input_height,
                 const Frame& frame);

  Placement placement;
  int channels;
  bool uses_chroma;
  std::array<ChannelMap, 3> maps;
  ResizeAxis across, down, chroma_across, chroma_down;  ///< of the frame's part
};

}  // namespace tandem::network
