// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <bit>
#include <span>

#include "model/measurements.h"
#include "model/stream_model.h"

namespace tandem {

/// What twice as many lanes have to gain to be worth it.
inline constexpr double kLaneGain = 0.05;

/// What each doubling has to be expected to gain once several lanes are, to be measured first: a
/// prior errs by so much, and trials show what more lanes gain.
inline constexpr double kExpectedLaneGain = 0.15;

/// How much sooner twice as many bands have to be done with a frame.
inline constexpr double kBandGain = 0.03;

/// The most that lanes or bands can gain.
inline constexpr double kMostGain = 1000;

/// What lanes and bands are expected to gain before any are measured. It says which number of lanes
/// is measured first, and with how many bands measuring ends.
struct LanePrior {
  /// X(S) / X(1), at [S - 1]; unknown where nothing is expected.
  std::array<double, kMaxLanes> gains;
  /// Of one frame, what it takes whole by what it takes in T bands, at [log2 T].
  std::array<double, 5> band_gains;

  LanePrior() {
    gains.fill(kUnknown);
    band_gains.fill(kUnknown);
  }

  bool expects_any() const { return known(gains[0]); }

  /// Of `lanes`, which rise: the first that is expected to gain kLaneGain over one, or the last of
  /// more, each doubling up to which is expected to gain kExpectedLaneGain; 1 where none is.
  int best_of(std::span<const int> lanes) const;
  /// What more lanes than these are expected to gain over them; 1 where none do, or nothing is
  /// expected.
  double gain_beyond_best_of(std::span<const int> lanes) const;
  /// The number of bands that is expected to answer soonest; 1 where none is.
  int best_bands() const;
  double band_gain(int bands) const { return band_gains[std::bit_width(unsigned(bands) / 2)]; }
};

/// Fills in the numbers below the most of `lanes` that were measured: each gains the part of what
/// the most gain that `prior` expects of it. Nothing is filled in where the most gain nothing.
void fill_lane_factors(std::span<const int> lanes, const LanePrior& prior,
                       std::array<LaneFactor, kMaxLanes>& factors);

/// What the device takes for a frame, all of its stages.
struct DeviceFrame {
  double seconds = kUnknown;   ///< of whole frames, one at a time
  double download_part = 0.0;  ///< of that
  int stages = 1;
  double cores = 0;  ///< that are busy meanwhile
};

/// Features that the bin measures anyway, for models that have to do with these.
inline constexpr std::array<const char*, 3> kLaneFeatures{"download-share", "log-launches",
                                                          "log-total-ns"};

/// Frames one behind the other are a stream whose tasks are frames: lanes gain what as many
/// partitions do. Bands of one frame are its tasks, and their copies have a queue beside that of
/// their kernels: they gain what tasks on two partitions do.
LanePrior lane_prior(const StreamModel& model, const DeviceFrame& frame);

}  // namespace tandem
