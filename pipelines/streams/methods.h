// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipelines/streams/train.h"

/// Ways to choose partitions and tasks, all learnt from the same samples.
namespace tandem::streams {

/// The choice for a sample, out of its grid. Uses the features, never the times; the
/// ladder alone does, which measures.
using Choose = std::function<StreamCandidate(const Sample&)>;

struct Method {
  std::string name, note;
  std::function<Choose(const Samples& training)> learn;
};

/// The model first, then its rivals; those of OpenCV where this build has it.
std::vector<Method> all_methods(const TrainOptions& options);

/// The model alone, with its answers.
Choose choose_by(const StreamModel& model);

// The methods that need no training but a device's constants.
Choose one_setting(StreamCandidate setting);
/// The setting with the best mean share of each training sample's best.
StreamCandidate best_constant(const Samples& training);
/// Doubles the lanes from one to eight, with a task each, until a doubling gains less than 5%, as
/// tandembin does.
StreamCandidate climb_ladder(const Sample& sample);

/// The point of the grid that is nearest to a wish, by logarithms; with at most so many tasks.
StreamCandidate nearest(const Sample& sample, double partitions, double tasks);

}  // namespace tandem::streams
