// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/svm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pipelines/progress.h"
#include "pipelines/training/random.h"

namespace tandem {
namespace {

// The bias is the weight of one more coefficient of this value. A window's squared norm is near 105
// (each block's is near one); a value of that size keeps the penalty on the bias negligible.
constexpr float kBiasScale = 10;
constexpr double kNegligible = 1e-9;  // a violation that is not worth a step

/// One dual variable's constraint, 0 <= dual <= cost, and the gradient there.
struct Step {
  double gradient, dual, cost;
  /// How far the variable is from optimal, given its bounds.
  double violation() const {
    if (dual <= 0) return std::min(gradient, 0.0);
    if (dual >= cost) return std::max(gradient, 0.0);
    return gradient;
  }
  /// At a bound, and pressed against it by more than anything was off in the pass before: it can be
  /// left out for a while.
  bool settled(double worst_before) const {
    return (dual <= 0 && gradient > worst_before) || (dual >= cost && -gradient > worst_before);
  }
};

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

  std::vector<std::size_t> all(examples.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> active = all;
  Random random(seed);
  Progress progress("SVM, passes over " + std::to_string(examples.size()) + " windows",
                    options.passes);
  double worst_before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < options.passes; ++pass) {
    random.shuffle(active);
    double worst = 0;
    std::erase_if(active, [&](std::size_t i) {
      Example& e = examples[i];
      const double sign = e.person ? 1 : -1;
      const double cost = e.person ? options.person_cost : options.cost;
      const double gradient = sign * (e.window.dot(svm.weights) + svm.bias) - 1;
      const Step step{gradient, e.dual, cost};
      if (step.settled(worst_before)) return true;
      const double off = std::abs(step.violation());
      worst = std::max(worst, off);
      if (off < kNegligible) return false;
      e.dual = std::clamp(step.dual - gradient / curvature[i], 0.0, cost);
      const auto change = static_cast<float>(sign * (e.dual - step.dual));
      e.window.add_to(svm.weights, change);
      svm.bias += change * kBiasScale * kBiasScale;
      return false;
    });
    progress.advance("worst violation " + std::to_string(worst));
    worst_before = worst;
    if (worst >= options.tolerance) continue;
    if (active.size() == all.size()) break;
    active = all;  // those that were left out have the last word
    worst_before = std::numeric_limits<double>::infinity();
  }
  return svm;
}

}  // namespace tandem
