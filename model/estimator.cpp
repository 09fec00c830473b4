// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/estimator.h"

#include <algorithm>
#include <cmath>

#include "model/median.h"

namespace tandem {
namespace {

// The median absolute deviation of normally distributed samples times this is their standard
// deviation.
constexpr double kSigmasPerDeviation = 1.4826;
constexpr double kMostSigmas = 3;

}  // namespace

double Estimate::relative_error() const { return relative_spread / std::sqrt(samples); }

Estimate estimate(std::vector<double> samples) {
  std::erase_if(samples, [](double sample) { return !known(sample); });
  Estimate result;
  result.samples = static_cast<int>(samples.size());
  if (samples.empty()) return result;
  const auto count = static_cast<double>(samples.size());

  const double centre = median(samples);
  std::vector<double> deviations = samples;
  for (double& sample : deviations) sample = std::abs(sample - centre);
  const double reach = kMostSigmas * kSigmasPerDeviation * median(deviations);

  double sum = 0;
  for (double& sample : samples) {
    sample = std::clamp(sample, centre - reach, centre + reach);
    sum += sample;
  }
  result.value = sum / count;
  if (samples.size() == 1) return result;

  double squares = 0;
  for (const double sample : samples) squares += (sample - result.value) * (sample - result.value);
  result.relative_spread = std::sqrt(squares / (count - 1)) / result.value;
  return result;
}

// The weighted mean of independent samples has w / (2 - w) of their variance. In logarithms the
// relative spread is the standard deviation, while it is small.
DriftDetector::DriftDetector(double reference, double change, double relative_spread)
    : reference_(reference), limit_(std::log1p(change)) {
  const double mean_sigma = relative_spread * std::sqrt(kWeight / (2 - kWeight));
  if (known(mean_sigma)) limit_ = std::max(limit_, kSureSigmas * mean_sigma);
}

bool DriftDetector::observe(double sample) {
  if (sample > 0 && std::isfinite(sample)) {
    const double deviation = std::clamp(std::log(sample / reference_), -2 * limit_, 2 * limit_);
    mean_ += kWeight * (deviation - mean_);
  }
  return drifted();
}

bool DriftDetector::drifted() const { return std::abs(mean_) > limit_; }

double DriftDetector::ratio() const { return std::exp(mean_); }

}  // namespace tandem
