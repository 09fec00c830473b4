// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "kernels/plane.h"

namespace tandem {

/// A person found in a frame: the whole window, in pixels of the frame.
struct Detection {
  float x = 0, y = 0, width = 0, height = 0;
  float score = 0;  ///< distance from the SVM's hyperplane
};

/// Appends the windows of one level that score at least `threshold`. `scale` is frame pixels for one
/// pixel of the level. A detection is the window less the margin that training leaves around a
/// person, clipped to frame_width x frame_height.
void collect_detections(Plane<const float> score, double scale, float threshold, int frame_width,
                        int frame_height, std::vector<Detection>& detections);

/// Greedy non-maximum suppression: strongest first, drop all that overlap one kept by more than
/// `max_overlap` (intersection over union), keep at most `limit`. Sorts by falling score; equal
/// scores by position, so that the result does not depend on the order of the input.
void suppress_overlaps(std::vector<Detection>& detections, float max_overlap, std::size_t limit);

}  // namespace tandem
