// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/vivid_classifier/detections.h"
#include "pipelines/training/dataset/dataset.h"

namespace tandem {

/// How a network searches photographs.
struct NetworkSearch {
  std::string model;       ///< ONNX file
  std::string label;       ///< objects of other classes are left out
  double threshold = 0;    ///< least confidence
  double max_overlap = 0;  ///< of two detections of a class that are both kept
};

/// Runs photographs in colour through dnninput, dnnstage and dnnboxes inside tandembin. Returns the
/// detections of each; their score is the confidence. Calls `advance` after each photograph, on
/// another thread. Throws Failure, and what load_frame() throws.
std::vector<std::vector<Detection>> detect_with_network(const std::vector<Photograph>& photographs,
                                                        const NetworkSearch& search,
                                                        const std::function<void()>& advance);

}  // namespace tandem
