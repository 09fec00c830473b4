// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/methods.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "pipelines/streams/analytic_models.h"
#include "pipelines/streams/rivals.h"

namespace tandem::streams {
namespace {

constexpr double kLadderGain = 1.05;
constexpr int kLadderMost = 8;

double best_ns(const Sample& sample) {
  return std::ranges::min(sample.grid, {}, &Timing::median_ns).median_ns;
}

using Learn = std::function<Choose(const Samples&)>;

Learn always(const Choose& choose) {
  return [choose](const Samples&) { return choose; };
}

// As many partitions as tasks.
Learn by_tasks(double (*tasks_of)(const CopyCosts&, const FeatureValues&)) {
  return [tasks_of](const Samples& training) -> Choose {
    return [tasks_of, costs = copy_costs(training)](const Sample& sample) {
      const double tasks = tasks_of(costs, sample.run);
      return nearest(sample, tasks, tasks);
    };
  };
}

}  // namespace

StreamCandidate nearest(const Sample& sample, double partitions, double tasks) {
  double least = std::numeric_limits<double>::infinity();
  StreamCandidate found;
  for (const Timing& t : sample.grid) {
    const double distance = std::fabs(std::log2(t.partitions) - std::log2(partitions)) +
                            std::fabs(std::log2(t.tasks) - std::log2(tasks));
    if (distance >= least) continue;
    least = distance;
    found = {t.partitions, t.tasks};
  }
  return found;
}

Choose choose_by(const StreamModel& model) {
  const auto shared = std::make_shared<StreamModel>(model);
  return [shared](const Sample& sample) {
    std::vector<StreamCandidate> candidates;
    for (const Timing& t : sample.grid) candidates.push_back({t.partitions, t.tasks});
    return shared->rank(combined_features(sample.code, sample.run), candidates).front();
  };
}

Choose one_setting(StreamCandidate setting) {
  return [setting](const Sample& sample) {
    return nearest(sample, setting.partitions, setting.tasks);
  };
}

StreamCandidate best_constant(const Samples& training) {
  std::map<std::pair<int, int>, double> shares;
  for (const Sample* sample : training)
    for (const Timing& t : sample->grid)
      shares[{t.partitions, t.tasks}] += best_ns(*sample) / t.median_ns;
  const auto best =
      std::ranges::max_element(shares, {}, [](const auto& entry) { return entry.second; });
  return {best->first.first, best->first.second};
}

StreamCandidate climb_ladder(const Sample& sample) {
  StreamCandidate now;
  double now_ns = sample.one_stream_ns();
  for (int lanes = 2; lanes <= kLadderMost; lanes *= 2) {
    const Timing* const next = sample.find(lanes, lanes);
    if (!next || now_ns < kLadderGain * next->median_ns) break;
    now = {lanes, lanes};
    now_ns = next->median_ns;
  }
  return now;
}

std::vector<Method> all_methods(const TrainOptions& options) {
  std::vector<Method> methods{
      {"model", "the network that is shipped",
       [options](const Samples& training) { return choose_by(train_model(training, options)); }},
      {"best constant", "the setting that is best for the training's samples",
       [](const Samples& training) { return one_setting(best_constant(training)); }},
      {"fixed (2, 2)", "", always(one_setting({2, 2}))},
      {"fixed (4, 4)", "", always(one_setting({4, 4}))},
      {"one stream", "", always(one_setting({1, 1}))},
      {"Liu et al.", "linear regression of copies and kernels", by_tasks(tasks_by_liu)},
      {"van Werkhoven et al.", "LogGP of the copies", by_tasks(tasks_by_werkhoven)},
      {"ladder", "what the bin does: it times up to four settings of the sample itself",
       always(climb_ladder)}};
  if (!has_rivals()) return methods;
  for (const auto& [kind, name, note] :
       {std::tuple(RivalKind::kSvmRegression, "SVM regression", "OpenCV, radial basis functions"),
        std::tuple(RivalKind::kRandomForest, "random forest", "OpenCV, regression"),
        std::tuple(RivalKind::kSvmClassifier, "SVM classifier", "OpenCV; rare labels are merged"),
        std::tuple(RivalKind::kNearest, "nearest neighbours", "OpenCV, classification, five")}) {
    methods.push_back({name, note, [options, kind = kind](const Samples& training) {
                         return learn_rival(kind, training, options);
                       }});
  }
  return methods;
}

}  // namespace tandem::streams
