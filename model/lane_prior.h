// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>

#include "model/measurements.h"
#include "model/stream_model.h"

namespace tandem {

/// What twice as many lanes have to gain to be worth it.
inline constexpr double kLaneGain = 0.05;

/// What lanes are expected to gain before any are measured. It says which number is measured first.
struct LanePrior {
  /// X(S) / X(1), at [S - 1]; unknown where nothing is expected.
  std::array<double, kMaxLanes> gains;

  LanePrior() { gains.fill(kUnknown); }

  /// Of `lanes`, which rise: the last that is expected to gain kLaneGain over those before it; 1
  /// where none is.
  int best_of(std::span<const int> lanes) const;
};

/// Where the most of `lanes` alone were measured: fewer gain a part of what these do, as large as
/// is expected. Without a gain nothing is filled in.
void fill_lane_factors(std::span<const int> lanes, const LanePrior& prior,
                       std::array<LaneFactor, kMaxLanes>& factors);

/// What the device takes for a frame, all of its stages.
struct DeviceFrame {
  double seconds = kUnknown;   ///< of whole frames, one at a time
  double download_part = 0.0;  ///< of that
  int stages = 1;
};

/// Features that the bin measures anyway, for models that have to do with these.
inline constexpr std::array<const char*, 3> kLaneFeatures{"download-share", "log-launches",
                                                          "log-total-ns"};

/// Frames one behind the other are a stream whose tasks are frames: lanes gain what as many
/// partitions do.
LanePrior lane_prior(const StreamModel& model, const DeviceFrame& frame);

}  // namespace tandem
