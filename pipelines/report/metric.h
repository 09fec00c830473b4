// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipelines/report/bench_file.h"

namespace tandem {

/// One quantity of every configuration, in the unit in which it reads best.
struct Metric {
  struct Values {
    std::optional<double> measured, predicted;
  };
  std::string title;    ///< "Throughput"
  std::string unit;     ///< "frames/s"
  std::string formula;  ///< "throughput/energy"; may be empty
  bool lower_is_better = false;
  std::optional<double> (*of)(const Performance&) = nullptr;  ///< in the unit of the file
  double scale = 1;                            ///< multiples of `unit` in the unit of the file
  std::vector<Values> values = {};             ///< in the order of BenchFile::configurations
  std::optional<double> baseline = {};         ///< the baseline's own value
  std::optional<std::size_t> named_best = {};  ///< the file's best configuration by this metric

  /// The quantity in `unit`.
  std::optional<double> value(const Performance& performance) const;
  /// Higher is better, whatever the metric; in no unit.
  std::optional<double> score(const Performance& performance) const;
  bool any_measured() const;
  bool any_predicted() const;
  bool any() const { return any_measured() || any_predicted(); }
  /// Index of the best configuration that the file names, else of the best measured value, which
  /// may be the luck of one short run.
  std::optional<std::size_t> best() const;
  /// The least and the most of all values, the baseline's too; 0 and 0 when there is none.
  std::pair<double, double> range() const;
  /// "402 frames/s"
  std::string with_unit(double value) const;
};

/// Throughput, energy, efficiency and latency (the 95th percentile), in this order.
std::vector<Metric> metrics_of(const BenchFile& bench);

/// Index in metrics_of() of the metric by which `chosen` and `best` are judged. Throughput if
/// energy is not known; the energy-delay product is 1 / efficiency.
std::size_t judging_metric(const BenchFile& bench);

/// predicted / measured - 1, where both are known and measured is not 0.
std::optional<double> prediction_error(const Metric::Values& values);

}  // namespace tandem
