// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "kernels/plane.h"
#include "kernels/util/detection.h"

namespace tandem {

/// The place of a person in the 64x128 window: centred, with margins of 8 pixels above and below.
/// The person has more pixels than with Dalal and Triggs's margin of 16, so more people are found.
/// Training places people so; detections are this box. The width is the same for all people.
struct PersonBox {
  static constexpr float kWidth = 46, kHeight = 112;  ///< pixels of the window
  static constexpr float kLeft = (64 - kWidth) / 2, kTop = (128 - kHeight) / 2;
};

/// Appends the windows of one level that score at least `threshold`. `scale` is frame pixels for
/// one pixel of the level. The detection's score is the distance from the SVM's hyperplane, in
/// margins. A detection is the PersonBox of its window, clipped to frame_width x
/// frame_height. A score that is not a number is no detection.
void collect_detections(Plane<const float> score, double scale, float threshold, int frame_width,
                        int frame_height, std::vector<Detection>& detections);

}  // namespace tandem
