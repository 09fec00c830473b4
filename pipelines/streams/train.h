// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "model/stream_model.h"
#include "pipelines/streams/network_trainer.h"
#include "pipelines/streams/samples.h"

namespace tandem::streams {

struct TrainOptions {
  NetworkOptions network;
  int networks = 9;               ///< of different seeds, whose mean is the estimate
  double most_correlation = 0.7;  ///< of two features more alike the second is dropped
  double variance = 0.99;         ///< that the principal components hold
};

using Samples = std::vector<const Sample*>;
/// Those of a table that were measured.
Samples measured(const SampleTable& table);

/// Combined features of each sample.
std::vector<StreamFeatures> features_of(const Samples& samples);

/// The model's features, their ranges and components. Throws std::runtime_error where samples are
/// too few or all alike.
StreamModel prepare_model(const std::vector<StreamFeatures>& features, const TrainOptions& options);

/// Learns the logarithm of the speed-up over one stream of all settings that were measured.
StreamModel train_model(const Samples& samples, const TrainOptions& options);

/// The importance of each of a model's features, by varimax of the training's components.
std::vector<double> importance_of(const StreamModel& model,
                                  const std::vector<StreamFeatures>& features);

}  // namespace tandem::streams
