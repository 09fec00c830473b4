// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "model/configuration.h"
#include "model/predict/predict.h"

namespace tandem {

/// A configuration that ran for a moment, and what it did beside what the model expected.
struct Trial {
  Configuration configuration;
  Prediction predicted, measured;
  /// At length; then `measured` is their mean, else what a glance saw.
  std::vector<Prediction> looks = {};
  std::vector<double> weights = {};  ///< one a look: how much it tells
  std::vector<double> ended_s = {};  ///< one a look: when, since the training began
  bool ran = true;                   ///< false: it errs as the trial of other lanes did
};

/// Of what one configuration did in several looks, at least one. One in which the machine stood
/// still for a while says nothing: it is much slower than the others. Energy is that of the looks
/// in which the counter had a new value. `weights`: one a look.
Prediction mean_of_looks(std::span<const Prediction> looks, std::span<const double> weights);

/// Whether there were two looks alone, and mean_of_looks() takes the word of the faster one:
/// whether the machine stood still in the other one, or was fast for a moment in this one, a third
/// one says.
bool contradict_each_other(std::span<const Prediction> looks);

/// The trial of that configuration, or null.
const Trial* find_trial(std::span<const Trial> trials, const Configuration& configuration);

/// A prediction with what trials taught. What was tried is as it was measured. What was not errs,
/// if it is under coarse grain and has the device, as its neighbours do: other numbers of threads
/// of the mapping, or of all such mappings while it was not tried itself.
/// The error grows between two numbers of threads with the square of the way from the lower one to
/// the higher one: threads get in each other's way, and in the driver's, when they are nearly as
/// many as the cores. One thread is taken to be right, and the rate of more threads than tried as
/// well: they may find another rhythm, and have to be tried. Their power errs as that of the most
/// threads that were tried.
/// Lanes may gain much less beside busy cores than with the device alone, however many threads
/// there are. Where a coupled mapping with several lanes fell short by a fifth, all numbers of
/// threads err as the nearest one that was tried does, and so do more lanes.
Prediction corrected(std::span<const Trial> trials, const Configuration& configuration,
                     const Prediction& prediction);

/// At so many times the rate: the power stays.
Prediction at_ratio(Prediction prediction, double ratio);

/// Whether trials showed that lanes gain much less than they promise for such a configuration.
bool lanes_fall_short(std::span<const Trial> trials, const Configuration& configuration);

/// The same of trials with at most as many threads: more of them may be in the way of each other.
bool lanes_seen_to_fall_short(std::span<const Trial> trials, const Configuration& configuration);

}  // namespace tandem
