// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace tandem {

/// An object found in a frame: its box, in pixels.
struct Detection {
  float x = 0, y = 0, width = 0, height = 0;
  float score = 0;  ///< in the detector's unit
  int label = 0;    ///< class, from 0 on
};

/// Area of the intersection over area of the union of two boxes; 0 when both are empty.
float overlap(const Detection& a, const Detection& b);

/// Greedy non-maximum suppression: strongest first, drop all that overlap one of the same class
/// that is kept by more than `max_overlap` (intersection over union), keep at most `limit`. Sorts
/// by falling score; equal scores by position and class, so that the result does not depend on the
/// order of the input.
void suppress_overlaps(std::vector<Detection>& detections, float max_overlap, std::size_t limit);

}  // namespace tandem
