// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/report/metric.h"

// The page of a report and the parts of a bench's article, as HTML. `metrics` are those of
// metrics_of().
namespace tandem {

/// "vivid, 600×416"
std::string bench_title(const BenchFile& bench);

/// Machine, version, input and number of frames.
std::string bench_conditions(const BenchFile& bench);

/// Chosen, best, baseline and the homogeneous runs beside each other, and the cost of training.
std::string summary_table(const BenchFile& bench, const std::vector<Metric>& metrics);

/// Every value of every configuration. Metrics without any value are left out.
std::string values_table(const BenchFile& bench, const std::vector<Metric>& metrics);

/// Sentences on whether the chosen configuration was the best, and why: its expected and its
/// measured performance, the trials, and the expectation of a better configuration. Plain text.
/// Empty if the file does not name the choice, or not its performance.
std::string choice_sentences(const BenchFile& bench, const std::vector<Metric>& metrics);

/// The metric of every configuration: a panel a mapping, all on one scale. A panel has a bar
/// (measured) and a mark (predicted) for every number of threads, then for medium grain. `metric`
/// has at least one value.
std::string metric_panels(const BenchFile& bench, const Metric& metric);

/// Whether those panels have a logarithmic scale. Where less is better the low end matters, and
/// large values must not flatten it.
bool has_logarithmic_scale(const Metric& metric);

/// Largest relative error of a prediction that counts as right.
inline constexpr double kPredictionBand = 0.1;

/// Predicted over measured as a figure, with the line of equal values and the band around it, and
/// the number of configurations in the band. Empty when nothing is both predicted and measured.
std::string prediction_scatter(const BenchFile& bench, const Metric& metric);

/// One self-contained page, HTML and XML at once: no scripts, nothing to load. `benches` has at
/// least one; each gets its own part of the page.
std::string report_page(const std::vector<BenchFile>& benches);

}  // namespace tandem
