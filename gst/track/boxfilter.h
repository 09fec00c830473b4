// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst/track/box.h"

namespace tandem {

/// A value that changes at a nearly constant rate, seen with noise: a Kalman filter with two
/// states. One step is one frame.
class RateFilter {
 public:
  RateFilter(double value, double value_variance, double rate_variance)
      : value_(value), pp_(value_variance), vv_(rate_variance) {}

  double value() const { return value_; }
  double rate() const { return rate_; }
  double variance() const { return pp_; }

  /// One frame on. `value_noise` and `rate_noise` are the variances that a frame adds.
  void predict(double value_noise, double rate_noise);
  void see_value(double value, double noise);
  void see_rate(double rate, double noise);

 private:
  double value_, rate_ = 0;
  double pp_, pv_ = 0, vv_;  ///< covariance of value and rate
};

/// The place of an object: centre, width and height, each with its rate. Noise is proportional to
/// the height of the object, as in DeepSORT (Wojke et al. 2017, section 2.1).
class BoxFilter {
 public:
  explicit BoxFilter(const TrackBox& seen);

  TrackBox box() const;
  /// One frame on.
  void predict();
  /// A detector found the object here.
  void see(const TrackBox& detected);
  /// Features of the object moved so far from the last frame to this one: pixels. Called before
  /// predict().
  void see_motion(double dx, double dy);

 private:
  double height() const;

  RateFilter x_, y_, width_, height_;
};

}  // namespace tandem
