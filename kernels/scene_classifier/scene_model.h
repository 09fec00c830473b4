// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "kernels/scene_classifier/bag.h"
#include "kernels/scene_classifier/vocabulary.h"

namespace tandem {

/// A trained scene classifier: one linear SVM a class, against all others.
struct SceneModel {
  float contrast = 0;  ///< least size of a keypoint, of an image in [0, 1]
  SceneBag bag;
  SceneVocabulary vocabulary;
  std::vector<std::string> labels;          ///< of the classes
  std::vector<std::vector<float>> weights;  ///< of each class, as long as a bag
  std::vector<float> biases;                ///< of each class
  float steepness = 1;  ///< what margins are multiplied with to be log-odds, found in training
  std::string origin;   ///< how it was made: data, seed, options; one line

  int classes() const { return static_cast<int>(labels.size()); }
};

/// The margins of all classes for a bag.
void scene_margins(const SceneModel& model, const float* bag, float* margins);

/// The class of greatest margin, the first of equals.
int best_class(const float* margins, int classes);

/// exp(s m_c) / sum exp(s m_k): how sure the classifier is of class `c`, between 1 / classes and 1
/// for the best one.
double class_confidence(const float* margins, int classes, double steepness, int c);

/// The size of a model's file without its texts.
std::size_t scene_model_bytes(const SceneBag& bag, std::size_t classes);

/// Reads a model file; throws std::runtime_error that names the file and says what is wrong with it
/// (missing, not a model, another version, cut short, checksum, values that cannot be).
SceneModel load_scene_model(const std::string& path);

/// Writes it; throws std::runtime_error.
void save_scene_model(const SceneModel& model, const std::string& path);

}  // namespace tandem
