// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <vector>

/// The interface of the library with OpenCV's rivals to the command, which loads it when it is
/// asked to evaluate: no other use of the command needs OpenCV.
namespace tandem::streams {

enum class RivalKind { kSvmRegression, kRandomForest, kSvmClassifier, kNearest };

struct RivalRows {
  std::size_t columns = 0;
  std::vector<float> inputs;  ///< row by row
  std::vector<float> wanted;  ///< numbers, or labels from 0
};

class TrainedRival {
 public:
  virtual ~TrainedRival() = default;
  /// The prediction for one row: a number or a label. One thread at a time.
  virtual float answer(const std::vector<float>& inputs) const = 0;
};

using TrainRival = TrainedRival* (*)(RivalKind kind, const RivalRows& rows);
inline constexpr const char* kTrainRival = "tandem_train_rival";

}  // namespace tandem::streams
