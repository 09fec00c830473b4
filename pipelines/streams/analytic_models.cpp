// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/analytic_models.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::streams {
namespace {

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
