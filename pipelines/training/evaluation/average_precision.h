// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "kernels/vivid_classifier/detections.h"
#include "pipelines/training/dataset/dataset.h"

namespace tandem {

/// Precision and recall if all detections from `score` on are taken.
struct CurvePoint {
  float score = 0;
  double recall = 0, precision = 1;
};

struct Evaluation {
  std::size_t photographs = 0, objects = 0, ignored = 0, detections = 0;
  double average_precision = 0;
  std::vector<CurvePoint> curve;  ///< by falling score

  /// The last point whose score is at least `threshold`: recall 0, precision 1 when there is none.
  CurvePoint at(float threshold) const;
};

/// Judges detections as PASCAL VOC does. Detections of all photographs are ordered by falling
/// score. One is right if the person that it overlaps most, by at least `min_overlap` (intersection
/// over union), has not been found before. It is wrong otherwise: a person found twice is a
/// mistake. A detection that finds no person but overlaps an ignored box by as much counts neither
/// way. Average precision is the area under the interpolated curve, with every point as VOC has it
/// since 2010. Precision at a recall is the best precision at that recall or a higher one.
/// `found` holds the detections of each photograph of `photographs`, in any order.
Evaluation evaluate(const std::vector<Photograph>& photographs,
                    const std::vector<std::vector<Detection>>& found, float min_overlap);

}  // namespace tandem
