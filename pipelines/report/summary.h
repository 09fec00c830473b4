// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/report/metric.h"

namespace tandem {

/// "vivid, 600×416"
std::string bench_title(const BenchFile& bench);

/// On what and from how many frames the figures were taken, as HTML.
std::string bench_conditions(const BenchFile& bench);

/// `metrics`, here and below: throughput, energy, efficiency and latency in this order.
/// Chosen, best, baseline and the homogeneous runs beside each other, and what training cost.
std::string summary_table(const BenchFile& bench, const std::vector<Metric>& metrics);

/// Every value of every configuration. Metrics without any value are left out.
std::string values_table(const BenchFile& bench, const std::vector<Metric>& metrics);

}  // namespace tandem
