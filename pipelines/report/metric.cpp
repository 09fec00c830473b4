// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/metric.h"

#include <algorithm>

#include "pipelines/report/markup.h"

namespace tandem {
namespace {

std::optional<double> efficiency(const Performance& p) {
  if (!p.throughput_fps || !p.energy_j || *p.energy_j <= 0) return std::nullopt;
  return *p.throughput_fps / *p.energy_j;
}

// Energies of less than a joule, in a smaller unit.
void rescale_energy(Metric& metric) {
  const double most = metric.range().second;
  if (most <= 0 || most >= 1) return;
  metric.scale = most < 1e-3 ? 1e6 : 1e3;
  metric.unit = most < 1e-3 ? "\u00b5J/frame" : "mJ/frame";
  if (metric.baseline) *metric.baseline *= metric.scale;
  for (Metric::Values& values : metric.values) {
    if (values.measured) *values.measured *= metric.scale;
    if (values.predicted) *values.predicted *= metric.scale;
  }
}

}  // namespace

std::optional<double> Metric::value(const Performance& performance) const {
  std::optional<double> value = of(performance);
  if (value) *value *= scale;
  return value;
}

std::optional<double> Metric::score(const Performance& performance) const {
  const std::optional<double> value = of(performance);
  if (!value || !lower_is_better) return value;
  return *value > 0 ? std::optional(1 / *value) : std::nullopt;
}

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

std::vector<Metric> metrics_of(const BenchFile& bench) {
  std::vector<Metric> metrics = {
      {"Throughput", "frames/s", "", false, [](const Performance& p) { return p.throughput_fps; }},
      {"Energy", "J/frame", "", true, [](const Performance& p) { return p.energy_j; }},
      {"Efficiency", "fps/J", "throughput/energy", false, efficiency},
      {"Latency", "ms", "95 of 100 frames take no more", true,
       [](const Performance& p) { return p.latency_ms; }}};
  constexpr const char* kNames[] = {"throughput", "energy", "efficiency", "latency"};
  for (std::size_t k = 0; k < metrics.size(); ++k) {
    Metric& metric = metrics[k];
    for (const BenchFile::Configuration& c : bench.configurations)
      metric.values.push_back({metric.of(c.measured), metric.of(c.predicted)});
    if (bench.baseline) metric.baseline = metric.of(bench.baseline->measured);
    if (bench.metric != kNames[k] || !bench.best) continue;
    if (const auto* best = find_configuration(bench, bench.best->name))
      metric.named_best = static_cast<std::size_t>(best - bench.configurations.data());
  }
  rescale_energy(metrics[1]);
  return metrics;
}

std::size_t judging_metric(const BenchFile& bench) {
  if (bench.metric == "latency") return bench.best && bench.best->measured.latency_ms ? 3 : 0;
  const bool best_has_energy = bench.best && bench.best->measured.energy_j;
  if (bench.metric == "throughput" || !best_has_energy) return 0;
  return bench.metric == "energy" ? 1 : 2;
}

std::optional<double> prediction_error(const Metric::Values& values) {
  if (!values.measured || !values.predicted || *values.measured <= 0) return std::nullopt;
  return *values.predicted / *values.measured - 1;
}

}  // namespace tandem
