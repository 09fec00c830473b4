// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/report/metric.h"

namespace tandem {

/// How far from the measured value a prediction is counted as right.
inline constexpr double kPredictionBand = 0.1;

/// Predicted over measured as an HTML figure, with the line of equal values and the band around it,
/// and how many configurations lie in the band. Empty when nothing is both predicted and measured.
std::string prediction_scatter(const BenchFile& bench, const Metric& metric);

}  // namespace tandem
