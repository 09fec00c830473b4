// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/track/boxfilter.h"

namespace tandem {
namespace {

// Standard deviations as parts of the height of the object, those of DeepSORT.
constexpr double kPlace = 1.0 / 20;        // of a detected edge, and of what a frame adds
constexpr double kRate = 1.0 / 160;        // what a frame adds to the rate
constexpr double kFirstRate = 10 * kRate;  // of a new object, of which no rate is known
// The median motion of the object's features errs by so much: each is followed to a fraction of a
// pixel, but some lie on the background.
constexpr double kMotion = 1.0 / 50;
constexpr double kLeastSide = 1;  // pixels: sides that shrink stay positive

double square(double x) { return x * x; }

}  // namespace

void RateFilter::predict(double value_noise, double rate_noise) {
  value_ += rate_;
  pp_ += 2 * pv_ + vv_ + value_noise;
  pv_ += vv_;
  vv_ += rate_noise;
}

void RateFilter::see_value(double value, double noise) {
  const double scale = 1 / (pp_ + noise), innovation = value - value_;
  const double gain_value = pp_ * scale, gain_rate = pv_ * scale;
  value_ += gain_value * innovation;
  rate_ += gain_rate * innovation;
  vv_ -= gain_rate * pv_;
  pv_ -= gain_value * pv_;
  pp_ -= gain_value * pp_;
}

void RateFilter::see_rate(double rate, double noise) {
  const double scale = 1 / (vv_ + noise), innovation = rate - rate_;
  const double gain_value = pv_ * scale, gain_rate = vv_ * scale;
  value_ += gain_value * innovation;
  rate_ += gain_rate * innovation;
  pp_ -= gain_value * pv_;
  pv_ -= gain_rate * pv_;
  vv_ -= gain_rate * vv_;
}

BoxFilter::BoxFilter(const TrackBox& seen)
    : x_(seen.x + seen.width / 2, square(2 * kPlace * seen.height),
         square(kFirstRate * seen.height)),
      y_(seen.y + seen.height / 2, square(2 * kPlace * seen.height),
         square(kFirstRate * seen.height)),
      width_(seen.width, square(2 * kPlace * seen.height), square(kFirstRate * seen.height)),
      height_(seen.height, square(2 * kPlace * seen.height), square(kFirstRate * seen.height)) {}

double BoxFilter::height() const { return std::max(height_.value(), kLeastSide); }

TrackBox BoxFilter::box() const {
  const double width = std::max(width_.value(), kLeastSide);
  return {x_.value() - width / 2, y_.value() - height() / 2, width, height()};
}

void BoxFilter::predict() {
  const double place = square(kPlace * height()), rate = square(kRate * height());
  for (RateFilter* one : {&x_, &y_, &width_, &height_}) one->predict(place, rate);
}

void BoxFilter::see(const TrackBox& detected) {
  const double noise = square(kPlace * height());
  x_.see_value(detected.x + detected.width / 2, noise);
  y_.see_value(detected.y + detected.height / 2, noise);
  width_.see_value(detected.width, noise);
  height_.see_value(detected.height, noise);
}

void BoxFilter::see_motion(double dx, double dy) {
  const double noise = square(kMotion * height());
  x_.see_rate(dx, noise);
  y_.see_rate(dy, noise);
}

}  // namespace tandem
