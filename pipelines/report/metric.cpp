// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/metric.h"

#include <algorithm>

#include "pipelines/report/text.h"

namespace tandem {

bool Metric::any_measured() const {
  return std::any_of(values.begin(), values.end(), [](const Values& v) { return !!v.measured; });
}

bool Metric::any_predicted() const {
  return std::any_of(values.begin(), values.end(), [](const Values& v) { return !!v.predicted; });
}

std::optional<std::size_t> Metric::best() const {
  if (named_best && values[*named_best].measured) return named_best;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].measured) continue;
    const bool better = !best || (lower_is_better ? *values[i].measured < *values[*best].measured
                                                  : *values[i].measured > *values[*best].measured);
    if (better) best = i;
  }
  return best;
}

std::pair<double, double> Metric::range() const {
  std::vector<double> all;
  const auto add = [&](std::optional<double> value) {
    if (value) all.push_back(*value);
  };
  add(baseline);
  for (const Values& value : values) {
    add(value.measured);
    add(value.predicted);
  }
  if (all.empty()) return {0, 0};
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return {*least, *most};
}

std::string Metric::with_unit(double value) const { return significant(value) + " " + unit; }

namespace {

std::optional<std::size_t> best_by(const BenchFile& bench, const std::string& metric) {
  if (bench.metric != metric || !bench.best) return std::nullopt;
  const auto& all = bench.configurations;
  const auto found = std::ranges::find(all, bench.best->name, &BenchFile::Configuration::name);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace

Metric throughput_metric(const BenchFile& bench) {
  Metric metric{"Throughput", "frames/s", "", false, 1, {}, {}, best_by(bench, "throughput")};
  for (const BenchFile::Configuration& c : bench.configurations) {
    metric.values.push_back({c.throughput_fps, c.predicted_fps});
  }
  if (bench.baseline) metric.baseline = bench.baseline->throughput_fps;
  return metric;
}

Metric energy_metric(const BenchFile& bench) {
  Metric metric{"Energy", "J/frame", "", true, 1, {}, {}, best_by(bench, "energy")};
  for (const BenchFile::Configuration& c : bench.configurations) {
    metric.values.push_back({c.energy_per_frame_j, c.predicted_energy_j});
  }
  if (bench.baseline) metric.baseline = bench.baseline->energy_per_frame_j;
  const double most = metric.range().second;
  const auto rescale = [&](double factor, const char* unit) {
    metric.unit = unit;
    metric.scale = factor;
    if (metric.baseline) *metric.baseline *= factor;
    for (Metric::Values& values : metric.values) {
      if (values.measured) *values.measured *= factor;
      if (values.predicted) *values.predicted *= factor;
    }
  };
  if (most > 0 && most < 1e-3) {
    rescale(1e6, "\u00b5J/frame");
  } else if (most > 0 && most < 1) {
    rescale(1e3, "mJ/frame");
  }
  return metric;
}

Metric efficiency_metric(const BenchFile& bench) {
  Metric metric{"Efficiency", "fps/J", "throughput/energy",         false, 1,
                {},           {},      best_by(bench, "efficiency")};
  for (const BenchFile::Configuration& c : bench.configurations) {
    metric.values.push_back({efficiency(c.throughput_fps, c.energy_per_frame_j),
                             efficiency(c.predicted_fps, c.predicted_energy_j)});
  }
  if (bench.baseline) {
    metric.baseline =
        efficiency(bench.baseline->throughput_fps, bench.baseline->energy_per_frame_j);
  }
  return metric;
}

Metric latency_metric(const BenchFile& bench) {
  Metric metric{"Latency", "ms", "95 of 100 frames take no more", true, 1,
                {},        {},   best_by(bench, "latency")};
  for (const BenchFile::Configuration& c : bench.configurations)
    metric.values.push_back({c.latency_ms, c.predicted_latency_ms});
  if (bench.baseline) metric.baseline = bench.baseline->latency_ms;
  return metric;
}

std::size_t judging_metric(const BenchFile& bench) {
  if (bench.metric == "latency") return bench.best && bench.best->latency_ms ? 3 : 0;
  const bool best_has_energy = bench.best && bench.best->energy_per_frame_j;
  if (bench.metric == "throughput" || !best_has_energy) return 0;
  return bench.metric == "energy" ? 1 : 2;
}

std::optional<double> efficiency(std::optional<double> fps, std::optional<double> energy_j) {
  if (!fps || !energy_j || *energy_j <= 0) return std::nullopt;
  return *fps / *energy_j;
}

std::optional<double> prediction_error(const Metric::Values& values) {
  if (!values.measured || !values.predicted || *values.measured <= 0) return std::nullopt;
  return *values.predicted / *values.measured - 1;
}

}  // namespace tandem
