// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <functional>
#include <vector>

#include "pipelines/formatted.h"
#include "pipelines/tandem/bench/report.h"

namespace tandem {
namespace {

constexpr int kNameWidth = 14, kCellWidth = 11;

struct Column {
  const char* group;  ///< what the columns under it are: "measured"
  const char* head;
  const char* format;
  std::function<std::optional<double>(const BenchMeasurement&)> value;
  bool spread = false;  ///< of the rounds
};

std::vector<Column> columns_of(const BenchResult& result) {
  const std::vector<Column> all = {
      {"measured", "frames/s", "%.2f", [](const auto& m) { return m.median_fps(); }},
      {"", "least", "%.2f", [](const auto& m) { return std::ranges::min(m.rounds_fps); }, true},
      {"", "most", "%.2f", [](const auto& m) { return std::ranges::max(m.rounds_fps); }, true},
      {"", "J/frame", "%.4g", [](const auto& m) { return m.median().energy_j; }},
      {"", "ms (p95)", "%.4g", [](const auto& m) { return m.median().latency_ms; }},
      {"predicted", "frames/s", "%.2f", [](const auto& m) { return m.predicted.throughput_fps; }},
      {"", "J/frame", "%.4g", [](const auto& m) { return m.predicted.energy_j; }},
      {"", "ms (p95)", "%.4g", [](const auto& m) { return m.predicted.latency_ms; }},
  };
  const auto any = [&](const Column& column) {
    return std::ranges::any_of(result.measurements, [&](const BenchMeasurement& m) {
      return !m.rounds_fps.empty() && column.value(m);
    });
  };
  const bool one_round = std::ranges::all_of(
      result.measurements, [](const BenchMeasurement& m) { return m.rounds_fps.size() <= 1; });
  std::vector<Column> columns;
  for (const Column& column : all) {
    if (column.spread ? !one_round : any(column)) columns.push_back(column);
  }
  return columns;
}

}  // namespace

std::string to_table(const BenchResult& result) {
  const std::vector<Column> columns = columns_of(result);
  std::string groups = formatted("%-*s", kNameWidth, ""),
              heads = formatted("%-*s", kNameWidth, "configuration");
  for (const Column& column : columns) {
    groups += formatted("%*s", kCellWidth, column.group);
    heads += formatted("%*s", kCellWidth, column.head);
  }
  groups.erase(groups.find_last_not_of(' ') + 1);
  std::string table = groups + "\n" + heads + "   of best\n";
  const BenchMeasurement* best = best_of(result);
  for (const BenchMeasurement& measured : result.measurements) {
    if (measured.rounds_fps.empty()) continue;
    const std::string name = measured.configuration.name();
    table += formatted("%-*s", kNameWidth, name.c_str());
    for (const Column& column : columns) {
      const std::optional<double> value = column.value(measured);
      table += formatted("%*s", kCellWidth, value ? formatted(column.format, *value).c_str() : "-");
    }
    const double most = score(result, *best);
    table += most > 0 ? formatted("%9.0f%%", 100 * score(result, measured) / most)
                      : formatted("%10s", "-");
    if (&measured == best) table += "  <- best";
    if (result.training && name == result.training->chosen) table += "  <- chosen";
    table += '\n';
  }
  if (result.baseline) {
    table += "baseline: " + result.baseline->configuration.name() +
             formatted(" %.2f frames/s\n", result.baseline->median_fps());
  }
  return table;
}

}  // namespace tandem
