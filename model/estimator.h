// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "model/measurements.h"

namespace tandem {

/// A time (or energy) per frame, estimated from samples.
struct Estimate {
  double value = kUnknown;            ///< in the unit of the samples
  double relative_spread = kUnknown;  ///< standard deviation / value; unknown for one sample
  int samples = 0;

  /// Relative standard error of `value`: how far another training may come out. The noise for
  /// worth_switching().
  double relative_error() const;
};

/// The mean of `samples` after those beyond three robust standard deviations
/// from the median were moved to that limit (winsorised). Unknown samples are left out.
///
/// The plain mean is biased: an interrupt or a descheduled thread only ever makes a frame slower,
/// and one such frame in ten decides the mean. The minimum misleads: it is the frame that was lucky
/// with clock rate and cache, and says nothing about the rate. The median ignores that frames
/// differ in content, and throughput follows their mean. A mean without outliers has no such fault.
/// Up to half of the samples may be outliers. Google Highway's auto-tuner reasons in the same way.
Estimate estimate(std::vector<double> samples);

/// Standard errors by which a mean differs from another by no chance, however often it is tested.
inline constexpr double kSureSigmas = 6;

/// Tells a lasting change of a service time from single slow frames and from noise.
///
/// Deviations from the reference are logarithms, so that twice and half weigh the same. Each is cut
/// at twice the limit and enters an exponentially weighted mean; drift is when the mean passes the
/// limit. One frame, however slow, moves the mean by an eighth of the limit. A large change that
/// lasts is seen at the eleventh frame, one that just passes the limit later.
///
/// Give it service times (seconds a frame on a path or stage), not the time between frames: a
/// source that starves the stream is no drift.
class DriftDetector {
 public:
  /// `change`: the smallest relative change that matters, such as 0.15. `relative_spread` of the
  /// samples: noise raises the limit to six standard deviations of the weighted mean.
  DriftDetector(double reference, double change, double relative_spread);

  /// Takes a sample in the unit of the reference; one that is unknown or not above 0 is ignored.
  /// Returns drifted().
  bool observe(double sample);
  bool drifted() const;
  /// How many times the reference the recent samples are; a large change shows its full size late.
  double ratio() const;

 private:
  static constexpr double kWeight = 1.0 / 16;

  double reference_;
  double limit_;     ///< of the weighted mean, in logarithms
  double mean_ = 0;  ///< weighted mean of log(sample / reference)
};

}  // namespace tandem
