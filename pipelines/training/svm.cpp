// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/svm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pipelines/training/progress.h"
#include "pipelines/training/random.h"

namespace tandem {
namespace {

// The bias is the weight of one more coefficient of this value. A window's squared norm is near 105
// (each block's is near one); a value of that size keeps the penalty on the bias negligible.
constexpr float kBiasScale = 10;

/// How far the gradient of one dual variable is from optimal, given its bounds.
double violation(double gradient, double dual, double cost) {
  if (dual <= 0) return std::min(gradient, 0.0);
  if (dual >= cost) return std::max(gradient, 0.0);
  return gradient;
}

}  // namespace

LinearSvm train_svm(std::vector<Example>& examples, int filters, float epsilon,
                    const SvmOptions& options, uint64_t seed) {
  LinearSvm svm{filters, std::vector<float>(std::size_t{4} * VividWindow::kBlocks * filters), 0,
                epsilon};
  std::vector<double> curvature;
  for (Example& e : examples) {
    curvature.push_back(e.window.squared_norm() + kBiasScale * kBiasScale);
    if (e.dual == 0) continue;
    const auto signed_dual = static_cast<float>(e.person ? e.dual : -e.dual);
    e.window.add_to(svm.weights, signed_dual);
    svm.bias += signed_dual * kBiasScale * kBiasScale;
  }

  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  Progress progress("SVM, passes over " + std::to_string(examples.size()) + " windows",
                    options.passes);
  for (int pass = 0; pass < options.passes; ++pass) {
    random.shuffle(order);
    double worst = 0;
    for (const std::size_t i : order) {
      Example& e = examples[i];
      const double sign = e.person ? 1 : -1;
      const double cost = e.person ? options.person_cost : options.cost;
      const double gradient = sign * (e.window.dot(svm.weights) + svm.bias) - 1;
      const double off = violation(gradient, e.dual, cost);
      worst = std::max(worst, std::abs(off));
      if (std::abs(off) < 1e-9) continue;
      const double before = e.dual;
      e.dual = std::clamp(before - gradient / curvature[i], 0.0, cost);
      const auto step = static_cast<float>(sign * (e.dual - before));
      e.window.add_to(svm.weights, step);
      svm.bias += step * kBiasScale * kBiasScale;
    }
    progress.advance("worst violation " + std::to_string(worst));
    if (worst < options.tolerance) break;
  }
  return svm;
}

}  // namespace tandem
