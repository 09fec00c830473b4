// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

/// Numbers of partitions of a device and of tasks for a stage that nobody has timed: the
/// performance model of Zhang (section 3). A network estimates the speed-up over one stream from
/// features of the stage and a candidate; all candidates are ranked.
namespace tandem {

using StreamFeatures = std::map<std::string, double>;

/// The network's features of a stage: sizes and times as logarithms, and their shares. `code` is
/// from `tandem generate`, `run` from five runs with one stream; absent features stay absent.
StreamFeatures combined_features(const StreamFeatures& code, const StreamFeatures& run);

struct StreamCandidate {
  int partitions = 1, tasks = 1;
  bool operator==(const StreamCandidate&) const = default;
};

struct StreamModel {
  /// A combined feature that the training kept, and its range there.
  struct Feature {
    std::string name;
    double mean = 0, deviation = 1;
    double least = 0, most = 0;
  };
  /// values = weights * inputs + biases; all but the last one go through tanh.
  struct Layer {
    std::size_t inputs = 0, outputs = 0;
    std::vector<double> weights;  ///< by output, then input
    std::vector<double> biases;
  };
  using Network = std::vector<Layer>;

  std::vector<Feature> features;
  std::vector<std::vector<double>> components;  ///< principal ones, each over all features
  std::vector<double> scales;                   ///< of each component
  std::vector<Network> networks;                ///< whose mean is the answer
  double mean = 0, deviation = 1;               ///< of the logarithms of speed-ups

  /// Z-scores of a stage, clipped to the training's range, along the principal components. An
  /// absent feature has the mean.
  std::vector<double> components_of(const StreamFeatures& combined) const;
  /// The speed-up over one stream.
  double speed_up(const std::vector<double>& components, const StreamCandidate& candidate) const;
  /// The candidates, best first; of equals the earlier one.
  std::vector<StreamCandidate> rank(const StreamFeatures& combined,
                                    const std::vector<StreamCandidate>& candidates) const;
};

/// Inputs of a network's first layer that describe a candidate, behind the components.
inline constexpr std::size_t kCandidateInputs = 3;
void append_candidate(std::vector<double>& inputs, const StreamCandidate& candidate);

/// The output of a network with one output.
double output_of(const StreamModel::Network& network, std::vector<double> values);

}  // namespace tandem
