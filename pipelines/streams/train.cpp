// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/train.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pipelines/streams/feature_selection.h"
#include "pipelines/streams/statistics.h"

namespace tandem::streams {
namespace {

constexpr std::size_t kLeastSamples = 8;
// Settings that reach less than so much of the best are never chosen: one in kThin stands for them.
constexpr double kFarSetting = 0.5;
constexpr int kThin = 4;

// Features of the time of runs go first: the later of two features that are alike is dropped. A
// share of the time says more of streams than a number of bytes or of instructions.
constexpr const char* kFirst[] = {"log-total-ns", "kernel-share", "download-share",
                                  "upload-share", "log-launches", "log-launch-ns"};

// Features that every sample has, those of kFirst and then by name, with a value for each sample.
std::vector<std::pair<std::string, Column>> columns_of(const std::vector<StreamFeatures>& samples) {
  std::vector<std::pair<std::string, Column>> columns;
  for (const auto& [name, value] : samples.front()) {
    Column column;
    for (const StreamFeatures& sample : samples)
      if (const auto found = sample.find(name); found != sample.end())
        column.push_back(found->second);
    if (column.size() == samples.size()) columns.emplace_back(name, std::move(column));
  }
  std::ranges::stable_sort(columns, {}, [](const auto& column) {
    return std::ranges::find(kFirst, column.first) - std::begin(kFirst);
  });
  return columns;
}

StreamModel::Feature range_of(const std::string& name, const Column& column) {
  return {.name = name,
          .mean = mean_of(column),
          .deviation = deviation_of(column),
          .least = std::ranges::min(column),
          .most = std::ranges::max(column)};
}

std::vector<Column> scores_of(const StreamModel& model,
                              const std::vector<StreamFeatures>& samples) {
  std::vector<Column> scores;
  for (const StreamModel::Feature& feature : model.features) {
    Column& column = scores.emplace_back();
    for (const StreamFeatures& sample : samples)
      column.push_back((sample.at(feature.name) - feature.mean) / feature.deviation);
  }
  return scores;
}

Rows rows_of(const Samples& samples, const std::vector<StreamFeatures>& features,
             StreamModel& model) {
  Rows rows;
  int far = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::vector<double> components = model.components_of(features[i]);
    const double one_ns = samples[i]->one_stream_ns();
    double best_ns = one_ns;
    for (const Timing& t : samples[i]->grid) best_ns = std::min(best_ns, t.median_ns);
    for (const Timing& t : samples[i]->grid) {
      const double share = best_ns / t.median_ns;
      if (share < kFarSetting && ++far % kThin != 0) continue;
      std::vector<double> inputs = components;
      append_candidate(inputs, {t.partitions, t.tasks});
      rows.columns = inputs.size();
      rows.inputs.insert(rows.inputs.end(), inputs.begin(), inputs.end());
      rows.wanted.push_back(std::log(one_ns / t.median_ns));
      // Settings far from the best need not be known well.
      rows.weights.push_back(share * share);
    }
  }
  model.mean = mean_of(rows.wanted);
  model.deviation = std::max(deviation_of(rows.wanted), 1e-6);
  for (double& value : rows.wanted) value = (value - model.mean) / model.deviation;
  return rows;
}

}  // namespace

Samples measured(const SampleTable& table) {
  Samples samples;
  for (const Sample& sample : table.samples)
    if (sample.one_stream_ns() > 0) samples.push_back(&sample);
  return samples;
}

std::vector<StreamFeatures> features_of(const Samples& samples) {
  std::vector<StreamFeatures> features;
  for (const Sample* sample : samples)
    features.push_back(combined_features(sample->code, sample->run));
  return features;
}

StreamModel prepare_model(const std::vector<StreamFeatures>& features,
                          const TrainOptions& options) {
  if (features.size() < kLeastSamples)
    throw std::runtime_error("has " + std::to_string(features.size()) +
                             " samples that were measured; a model needs " +
                             std::to_string(kLeastSamples));
  const auto all = columns_of(features);
  std::vector<Column> columns;
  for (const auto& [name, column] : all) columns.push_back(column);
  StreamModel model;
  for (const std::size_t k : uncorrelated(columns, options.most_correlation))
    model.features.push_back(range_of(all[k].first, all[k].second));
  if (model.features.empty())
    throw std::runtime_error(
        "has no feature that differs between samples: measure other stage files");
  const auto found = principal_components(scores_of(model, features), options.variance);
  model.components = found.directions;
  for (const double variance : found.variances) model.scales.push_back(std::sqrt(variance));
  return model;
}

StreamModel train_model(const Samples& samples, const TrainOptions& options) {
  const auto features = features_of(samples);
  StreamModel model = prepare_model(features, options);
  const Rows rows = rows_of(samples, features, model);
  model.networks.resize(static_cast<std::size_t>(options.networks));
  for (std::size_t k = 0; k < model.networks.size(); ++k) {
    NetworkOptions own = options.network;
    own.seed += k;
    model.networks[k] = train_network(rows, own);
  }
  return model;
}

std::vector<double> importance_of(const StreamModel& model,
                                  const std::vector<StreamFeatures>& features) {
  return importance_by_varimax(principal_components(scores_of(model, features)));
}

}  // namespace tandem::streams
