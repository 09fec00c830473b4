// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/vivid_classifier/vivid_classifier.h"
#include "kernels/vivid_filter/vivid_filter.h"

namespace tandem {

/// A trained person detector: the filter bank of stage 1 and the SVM of stage 3.
struct VividModel {
  FilterBank bank;
  LinearSvm svm;
  std::string label = "person";  ///< what a detection is called
  float default_threshold = 0;   ///< score from which a window counts, found in training
  std::string origin;            ///< how it was made: data, seed, options; one line
};

/// Reads a model file. Throws std::runtime_error that names the file and its fault (missing, not a
/// model, another version, cut short, checksum, values that are not finite).
VividModel load_vivid_model(const std::string& path);

/// Writes it; throws std::runtime_error. The format is little endian: "TANDEMVIVID", a version, the
/// sizes, the coefficients as float32 and a 64-bit FNV-1a checksum of all that comes before it.
void save_vivid_model(const VividModel& model, const std::string& path);

}  // namespace tandem
