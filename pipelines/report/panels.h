// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/report/metric.h"

namespace tandem {

/// The metric of every configuration, as HTML: a panel a mapping, all on one scale; in each panel
/// a bar (measured) and a mark (predicted) for every number of threads, then for medium grain.
/// `metric` has at least one value.
std::string metric_panels(const BenchFile& bench, const Metric& metric);

/// Whether those panels have a logarithmic scale. Where less is better the low end is what matters,
/// and large values must not flatten it.
bool has_logarithmic_scale(const Metric& metric);

}  // namespace tandem
