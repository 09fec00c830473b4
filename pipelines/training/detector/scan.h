// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <vector>

#include "kernels/vivid_classifier/detections.h"
#include "kernels/vivid_classifier/vivid_model.h"
#include "kernels/vivid_filter/levels.h"
#include "pipelines/training/detector/window.h"

namespace tandem {

/// How a photograph is searched.
struct ScanOptions {
  int scales = 0;            ///< levels of the pyramid; 0 = as many as hold a window
  double first_scale = 1;    ///< below 1 enlarges the photograph to find smaller people
  float threshold = 0;       ///< least score
  float max_overlap = 0.4f;  ///< of two detections that are both kept
  std::size_t limit = 1000;  ///< most detections of a photograph
};

/// One level with its answers.
struct ScannedLevel {
  Level level;
  int number;  ///< of the level
  const Cells& cells;
  Plane<const float> score;
};

/// Runs the three stages on every level of a photograph.
void scan(const GreyImage& image, const FilterBank& bank, const PackedSvm& svm, int scales,
          double first_scale, const std::function<void(const ScannedLevel&)>& visit);

/// The people in a photograph, strongest first.
std::vector<Detection> detect(const GreyImage& image, const FilterBank& bank, const PackedSvm& svm,
                              const ScanOptions& options);

}  // namespace tandem
