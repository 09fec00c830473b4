// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipelines/streams/train.h"

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

// Models of streams that were made by hand, as Zhang (section 5.2) describes them. They know tasks
// alone: partitions are as many.

/// A line: seconds and bytes, or the like.
struct Line {
  double slope = 0, start = 0;
};
/// Least squares; flat where all x are one.
Line line_through(const std::vector<double>& x, const std::vector<double>& y);

/// The costs of a device's copies and launches, from the one-stream runs of samples.
struct CopyCosts {
  Line upload, download;  ///< nanoseconds by bytes; starts are of one copy
  double launch_ns = 0;   ///< of the shortest kernels
};
CopyCosts copy_costs(const Samples& samples);

/// Liu et al. (2016): tasks of sqrt(N gamma / alpha) elements where the kernel dominates, else two.
double tasks_by_liu(const CopyCosts& costs, const FeatureValues& run);
/// Van Werkhoven et al. (2014): as many tasks as make the copies that cannot overlap as long as
/// what follows the last of the others.
double tasks_by_werkhoven(const CopyCosts& costs, const FeatureValues& run);

}  // namespace tandem::streams
