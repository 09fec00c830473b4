// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/network/model_info.h"
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

}  // namespace tandem::network
