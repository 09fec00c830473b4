// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipelines/training/scenes/scene_pictures.h"

namespace tandem {

/// How often pictures of class [row] were taken for class [column]. A picture without a keypoint
/// is taken for none, as a stream's frame without one has no label.
class Confusion {
 public:
  Confusion(const std::vector<ScenePicture>& pictures,
            const std::vector<std::vector<float>>& margins, int classes);

  int classes() const { return static_cast<int>(counts_.size()); }
  int count(int label, int taken_for) const { return counts_[label][taken_for]; }
  int unlabelled(int label) const { return unlabelled_[label]; }
  int pictures(int label) const;

  double accuracy() const;                          ///< of all pictures
  std::optional<double> accuracy(int label) const;  ///< of those of this class, if any
  double mean_accuracy() const;                     ///< of the classes that have pictures

  /// The table of accuracies and counts, a line a class.
  std::string table(const std::vector<std::string>& labels) const;

 private:
  std::vector<std::vector<int>> counts_;
  std::vector<int> unlabelled_;
};

}  // namespace tandem
