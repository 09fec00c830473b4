// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/plane.h"

namespace tandem {

/// Where a person stands in the 64x128 window: centred, 8 pixels below its upper edge and as many
/// above its lower edge; more pixels for the person find more people than Dalal and Triggs's margin
/// of 16. Training places people so; detections are this box. The width is one for all people.
struct PersonBox {
  static constexpr float kWidth = 46, kHeight = 112;  ///< pixels of the window
  static constexpr float kLeft = (64 - kWidth) / 2, kTop = (128 - kHeight) / 2;
};

/// A person found in a frame: the person's box, in pixels of the frame.
struct Detection {
  float x = 0, y = 0, width = 0, height = 0;
  float score = 0;  ///< distance from the SVM's hyperplane, in margins
};

/// Area of the intersection over area of the union of two boxes; 0 when both are empty.
float overlap(const Detection& a, const Detection& b);

/// Appends the windows of one level that score at least `threshold`. `scale` is frame pixels for
/// one pixel of the level. A detection is the PersonBox of its window, clipped to frame_width x
/// frame_height. A score that is not a number is no detection.
void collect_detections(Plane<const float> score, double scale, float threshold, int frame_width,
                        int frame_height, std::vector<Detection>& detections);

/// Greedy non-maximum suppression: strongest first, drop all that overlap one kept by more than
/// `max_overlap` (intersection over union), keep at most `limit`. Sorts by falling score; equal
/// scores by position, so that the result does not depend on the order of the input.
void suppress_overlaps(std::vector<Detection>& detections, float max_overlap, std::size_t limit);

}  // namespace tandem
