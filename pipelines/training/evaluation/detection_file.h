// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "kernels/vivid_classifier/detections.h"
#include "pipelines/training/dataset/dataset.h"

namespace tandem {

/// Detections as JSON lines, one a photograph:
///
///   `{"image": "000001.jpg", "regions": [{"x": 1, "y": 2, "w": 3, "h": 4, "confidence": 0.5}]}`
std::string detection_lines(const std::vector<Photograph>& photographs,
                            const std::vector<std::vector<Detection>>& found);

/// Reads such a file and returns the detections of each of `photographs`, found by name. Throws
/// std::runtime_error for a line that cannot be read, and for an image that the dataset does not
/// have or has twice. A photograph without a line is an error too: it would silently count as one
/// without detections.
std::vector<std::vector<Detection>> read_detections(const std::string& path,
                                                    const std::vector<Photograph>& photographs);

}  // namespace tandem
