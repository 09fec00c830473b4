// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/vivid_classifier/vivid_model.h"
#include "pipelines/training/dataset/dataset.h"
#include "pipelines/training/dataset/photograph.h"
#include "pipelines/training/detector/augmentation.h"
#include "pipelines/training/detector/scan.h"
#include "pipelines/training/detector/svm.h"

namespace tandem {

struct TrainingData {
  std::vector<LoadedPhotograph> with_people;  ///< every person in them has a box
  std::vector<GreyImage> without_people;
};

struct TrainingOptions {
  uint64_t seed = 1;
  int filters = 100;
  std::size_t patches = 1000000;  ///< that the filters are learnt from
  int filter_rounds = 15;         ///< of k-medoids, at most
  int rounds = 4;                 ///< of hard negatives
  int jitters = 4;                ///< moved and scaled copies of each person, beside the exact one
  int random_windows = 10;        ///< of each photograph, the first negatives
  int hard_windows = 50;          ///< most new negatives of each photograph in a round
  double min_height = 48;         ///< pixels; smaller people are not learnt
  double soft_height = 70;  ///< pixels of a person in the soft copies of photographs; 0 = none
  float epsilon = 0.5f;     ///< of the block norm
  float negative_overlap = 0.4f;  ///< a window that overlaps people by less is a negative
  SvmOptions svm;
};

/// Decodes the photographs of `dataset` in parallel, with a progress line.
std::vector<LoadedPhotograph> load_photographs(const std::vector<Photograph>& photographs);
std::vector<GreyImage> load_images(const std::vector<std::string>& paths);

/// The filter bank for these photographs.
FilterBank train_filter_bank(const TrainingData& data, const TrainingOptions& options);

/// The SVM. Depends on the data and the options alone, not on the number of threads.
LinearSvm train_classifier(const TrainingData& data, const FilterBank& bank,
                           const TrainingOptions& options);

/// The detections in photographs that the detector has not seen: splits `data.with_people` by seed
/// into `folds` parts, trains on all others and searches each. `bank` is used for all when given,
/// else every fold learns its own.
std::vector<std::vector<Detection>> cross_validate(const TrainingData& data, const FilterBank* bank,
                                                   const TrainingOptions& options, int folds,
                                                   const ScanOptions& scan);

}  // namespace tandem
