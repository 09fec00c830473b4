// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/scene_classifier/scene_model.h"
#include "pipelines/training/scenes/confusion.h"
#include "pipelines/training/scenes/scene_pictures.h"

namespace tandem {

struct SceneTrainingOptions {
  uint64_t seed = 1;
  int words = 400;
  std::size_t samples = 50000;  ///< descriptors that the words are learnt from
  int rounds = 15;              ///< of k-means, at most
  int folds = 5;                ///< of the cross-validation
  double cost = 1.5;            ///< C of the SVMs
  float contrast = 0.0015f;     ///< least size of a keypoint
};

/// A classifier from these pictures and their mirror images; `steepness` stays 1. Depends on the
/// pictures and the options alone, not on the number of threads.
SceneModel train_scenes(const std::vector<const ScenePicture*>& pictures,
                        const std::vector<std::string>& labels,
                        const SceneTrainingOptions& options);

/// The margins of all classes for each picture, by classifiers whose words and SVMs come from
/// other folds. Each class is dealt out evenly over the folds. Throws std::runtime_error when a
/// class has fewer pictures than there are folds.
std::vector<std::vector<float>> cross_validate_scenes(const std::vector<ScenePicture>& pictures,
                                                      const std::vector<std::string>& labels,
                                                      const SceneTrainingOptions& options);

/// The margins of all classes of `model` for a picture.
std::vector<float> margins_of(const SceneModel& model, const ScenePicture& picture);

/// The steepness s at which exp(s m_c) / sum exp(s m_k) gives the pictures' classes the highest
/// likelihood. The margins m are for pictures that the classifier has not learnt from (temperature
/// scaling: Guo et al., "On calibration of modern neural networks", ICML 2017).
double fit_steepness(const std::vector<ScenePicture>& pictures,
                     const std::vector<std::vector<float>>& margins);

}  // namespace tandem
