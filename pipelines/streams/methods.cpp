// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/methods.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

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

constexpr double kMostTasks = 1024;

double value_of(const FeatureValues& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

Line costs_of(const Samples& samples, const char* bytes, const char* ns) {
  std::vector<double> x, y;
  for (const Sample* sample : samples) {
    if (value_of(sample->run, bytes) <= 0) continue;
    x.push_back(value_of(sample->run, bytes));
    y.push_back(value_of(sample->run, ns));
  }
  Line line = line_through(x, y);
  line.slope = std::max(line.slope, 1e-6);
  line.start = std::max(line.start, 0.0);
  return line;
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

Line line_through(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.empty()) return {};
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = xx > 0 ? xy / xx : 0;
  return {slope, mean_y - slope * mean_x};
}

CopyCosts copy_costs(const Samples& samples) {
  CopyCosts costs{.upload = costs_of(samples, "upload-bytes", "upload-ns"),
                  .download = costs_of(samples, "download-bytes", "download-ns")};
  costs.launch_ns = std::numeric_limits<double>::infinity();
  for (const Sample* sample : samples) {
    const double launches = std::max(value_of(sample->run, "launches"), 1.0);
    costs.launch_ns = std::min(costs.launch_ns, value_of(sample->run, "kernel-ns") / launches);
  }
  if (!std::isfinite(costs.launch_ns)) costs.launch_ns = 0;
  return costs;
}

double tasks_by_liu(const CopyCosts& costs, const FeatureValues& run) {
  const double bytes = value_of(run, "upload-bytes") + value_of(run, "download-bytes");
  const double kernel_ns = value_of(run, "kernel-ns");
  const double copy_ns = value_of(run, "upload-ns") + value_of(run, "download-ns");
  if (kernel_ns < copy_ns) return 2;
  const double gamma_ns = std::max(costs.launch_ns * std::max(value_of(run, "launches"), 1.0), 1.0);
  const double task_bytes = std::sqrt(bytes * gamma_ns / costs.upload.slope);
  return std::clamp(bytes / std::max(task_bytes, 1.0), 1.0, kMostTasks);
}

double tasks_by_werkhoven(const CopyCosts& costs, const FeatureValues& run) {
  const double up = value_of(run, "upload-bytes"), down = value_of(run, "download-bytes");
  const double kernel_ns = value_of(run, "kernel-ns");
  const double gap_ns = std::max(costs.download.start, 1.0);
  const double last_ns = down > up ? down * costs.download.slope : up * costs.upload.slope;
  // The left side grows with the tasks and the right one falls.
  for (double n = 1; n < kMostTasks; ++n)
    if (down * costs.download.slope + gap_ns * (n - 1) >= (kernel_ns + last_ns) / n) return n;
  return kMostTasks;
}

}  // namespace tandem::streams
