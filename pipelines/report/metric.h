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
  std::string formula;  ///< what it is made of, or nothing
  bool lower_is_better = false;
  double scale = 1;                            ///< how often `unit` goes into the unit of the file
  std::vector<Values> values;                  ///< in the order of BenchFile::configurations
  std::optional<double> baseline;              ///< what the baseline itself reached
  std::optional<std::size_t> named_best = {};  ///< what the file calls best by this metric

  bool any_measured() const;
  bool any_predicted() const;
  bool any() const { return any_measured() || any_predicted(); }
  /// Index of what the file calls best, else of the best measured value: that may be the luck of
  /// one short run.
  std::optional<std::size_t> best() const;
  /// The least and the most of all values, the baseline's too; 0 and 0 when there is none.
  std::pair<double, double> range() const;
  /// "402 frames/s"
  std::string with_unit(double value) const;
};

Metric throughput_metric(const BenchFile& bench);
Metric energy_metric(const BenchFile& bench);
Metric efficiency_metric(const BenchFile& bench);
Metric latency_metric(const BenchFile& bench);  ///< the 95th percentile

/// Which of throughput (0), energy (1), efficiency (2) and latency (3) `chosen` and `best` are
/// judged by. Throughput where energy is not known; the energy-delay product is 1 / efficiency.
std::size_t judging_metric(const BenchFile& bench);

/// Frames/s divided by joules a frame, where both are known.
std::optional<double> efficiency(std::optional<double> fps, std::optional<double> energy_j);

/// predicted / measured - 1, where both are known and measured is not 0.
std::optional<double> prediction_error(const Metric::Values& values);

}  // namespace tandem
