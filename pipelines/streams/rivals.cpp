// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/rivals.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

namespace tandem::streams {
namespace {

// Support vectors take the square of the rows in time.
constexpr std::size_t kMostSvmRows = 800;
constexpr int kLeastOfLabel = 4;

TrainRival library() {
  static const TrainRival found = []() -> TrainRival {
    const char* const own = std::getenv("TANDEM_RIVALS");
    void* const file = dlopen(own ? own : TANDEM_RIVALS, RTLD_NOW | RTLD_LOCAL);
    return file ? reinterpret_cast<TrainRival>(dlsym(file, kTrainRival)) : nullptr;
  }();
  return found;
}

void append(std::vector<float>& to, const std::vector<double>& from) {
  for (const double value : from) to.push_back(static_cast<float>(value));
}

std::vector<double> components_of(const StreamModel& model, const Sample& sample) {
  return model.components_of(combined_features(sample.code, sample.run));
}

Choose learn_regression(RivalKind kind, const Samples& training, const StreamModel& model) {
  RivalRows rows;
  std::size_t all = 0, place = 0;
  for (const Sample* sample : training) all += sample->grid.size();
  const std::size_t stride =
      kind == RivalKind::kSvmRegression ? (all + kMostSvmRows - 1) / kMostSvmRows : 1;
  double squares = 0;
  for (const Sample* sample : training) {
    const auto components = components_of(model, *sample);
    for (const Timing& t : sample->grid) {
      if (place++ % stride != 0) continue;
      std::vector<double> inputs = components;
      append_candidate(inputs, {t.partitions, t.tasks});
      rows.columns = inputs.size();
      append(rows.inputs, inputs);
      rows.wanted.push_back(static_cast<float>(std::log(sample->one_stream_ns() / t.median_ns)));
      squares += rows.wanted.back() * rows.wanted.back();
    }
  }
  const auto scale = static_cast<float>(
      std::max(std::sqrt(squares / static_cast<double>(rows.wanted.size())), 1e-6));
  for (float& value : rows.wanted) value /= scale;
  const std::shared_ptr<TrainedRival> rival(library()(kind, rows));
  return [rival, model](const Sample& sample) {
    const auto components = components_of(model, sample);
    StreamCandidate best;
    float most = -1e30F;
    for (const Timing& t : sample.grid) {
      std::vector<double> inputs = components;
      append_candidate(inputs, {t.partitions, t.tasks});
      std::vector<float> row;
      append(row, inputs);
      if (const float value = rival->answer(row); value > most) {
        most = value;
        best = {t.partitions, t.tasks};
      }
    }
    return best;
  };
}

using Label = std::pair<int, int>;

Label best_of(const Sample& sample, const std::map<Label, int>& kept) {
  Label best{1, 1};
  double least = 1e300;
  for (const Timing& t : sample.grid) {
    if (!kept.empty() && !kept.contains({t.partitions, t.tasks})) continue;
    if (t.median_ns < least) {
      least = t.median_ns;
      best = {t.partitions, t.tasks};
    }
  }
  return best;
}

// Labels that few samples have are merged: these samples get the best of those that stay.
Choose learn_classifier(RivalKind kind, const Samples& training, const StreamModel& model) {
  std::map<Label, int> counts, kept;
  for (const Sample* sample : training) ++counts[best_of(*sample, {})];
  for (const auto& [label, count] : counts)
    if (count >= kLeastOfLabel) kept[label] = 0;
  if (kept.empty()) kept = counts;
  std::vector<Label> labels;
  for (auto& [label, place] : kept) {
    place = static_cast<int>(labels.size());
    labels.push_back(label);
  }
  if (labels.size() == 1) return one_setting({labels[0].first, labels[0].second});
  RivalRows rows;
  for (const Sample* sample : training) {
    const auto components = components_of(model, *sample);
    rows.columns = components.size();
    append(rows.inputs, components);
    rows.wanted.push_back(static_cast<float>(kept.at(best_of(*sample, kept))));
  }
  const std::shared_ptr<TrainedRival> rival(library()(kind, rows));
  return [rival, model, labels](const Sample& sample) {
    std::vector<float> row;
    append(row, components_of(model, sample));
    const auto place = static_cast<std::size_t>(std::lround(rival->answer(row)));
    const Label label = labels[std::min(place, labels.size() - 1)];
    return nearest(sample, label.first, label.second);
  };
}

}  // namespace

bool has_rivals() { return library() != nullptr; }

// A rival that cannot be trained, such as support vectors of values that are all alike, takes the
// best constant.
Choose learn_rival(RivalKind kind, const Samples& training, const TrainOptions& options) {
  const StreamModel model = prepare_model(features_of(training), options);
  const bool classifies = kind == RivalKind::kSvmClassifier || kind == RivalKind::kNearest;
  try {
    return classifies ? learn_classifier(kind, training, model)
                      : learn_regression(kind, training, model);
  } catch (const std::exception&) {
    return one_setting(best_constant(training));
  }
}

}  // namespace tandem::streams
