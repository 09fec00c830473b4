// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/lane_prior.h"

#include <algorithm>
#include <cmath>

namespace tandem {

int LanePrior::best_of(std::span<const int> lanes) const {
  int best = 1;
  double most = 1;
  for (const int n : lanes) {
    const double gain = gains[static_cast<std::size_t>(n) - 1];
    const double enough =
        best == 1 ? 1 + kLaneGain : std::pow(1 + kExpectedLaneGain, std::log2(n / best));
    if (!(gain > most * enough)) continue;
    best = n;
    most = gain;
  }
  return best;
}

double LanePrior::gain_beyond_best_of(std::span<const int> lanes) const {
  const double of_best = gains[static_cast<std::size_t>(best_of(lanes)) - 1];
  double most = 1;
  for (const int n : lanes) most = std::max(most, gains[static_cast<std::size_t>(n) - 1] / of_best);
  return most;
}

int LanePrior::best_bands() const {
  int best = 1;
  for (int bands = 2; bands <= kMaxTasks; bands *= 2)
    if (band_gain(bands) > (best == 1 ? 1 : band_gain(best)) * (1 + kBandGain)) best = bands;
  return best;
}

void fill_lane_factors(std::span<const int> lanes, const LanePrior& prior,
                       std::array<LaneFactor, kMaxLanes>& factors) {
  if (prior.best_of(lanes) == 1) return;
  const auto at = [](int n) { return static_cast<std::size_t>(n) - 1; };
  int measured = 1;
  for (const int n : lanes)
    if (known(factors[at(n)].seconds)) measured = n;
  const LaneFactor most = factors[at(measured)];
  const double gain = 1 / most.seconds - 1, expected = prior.gains[at(measured)] - 1;
  if (!(gain > kLaneGain) || !(expected > kLaneGain)) return;
  for (const int n : lanes) {
    if (n > measured || known(factors[at(n)].seconds)) continue;
    const double part = std::clamp((prior.gains[at(n)] - 1) / expected, 0.0, 1.0);
    factors[at(n)] = {1 / (1 + part * gain), most.joules};
  }
}

namespace {

std::vector<double> components_of(const StreamModel& model, const DeviceFrame& frame, int frames) {
  const double all_ns = frames * frame.seconds * 1e9;
  const double download_ns = frame.download_part * all_ns;
  const StreamFeatures run{{"upload-ns", 0},
                           {"kernel-ns", all_ns - download_ns},
                           {"download-ns", download_ns},
                           {"launches", frame.stages}};
  return model.components_of(combined_features({}, run));
}

}  // namespace

LanePrior lane_prior(const StreamModel& model, const DeviceFrame& frame) {
  LanePrior prior;
  if (!(frame.seconds > 0)) return prior;
  constexpr int kFrames = kMaxLanes;
  const auto gain = [](double more) { return std::clamp(more, 1 / kMostGain, kMostGain); };
  const auto components = components_of(model, frame, kFrames);
  const double one = model.speed_up(components, {1, kFrames});
  for (int lanes = 1; lanes <= kFrames; lanes *= 2)
    prior.gains[static_cast<std::size_t>(lanes) - 1] =
        gain(model.speed_up(components, {lanes, kFrames}) / one);
  const auto of_one = components_of(model, frame, 1);
  const double whole = model.speed_up(of_one, {1, 1});
  for (int bands = 2; bands <= kMaxTasks; bands *= 2)
    prior.band_gains[static_cast<std::size_t>(std::bit_width(unsigned(bands))) - 1] =
        gain(model.speed_up(of_one, {2, bands}) / whole);
  return prior;
}

}  // namespace tandem
