// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "pipelines/streams/train.h"

/// Models of streams that were made by hand, as Zhang (section 5.2) describes them. They know
/// tasks alone: partitions are as many.
namespace tandem::streams {

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
