// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/svm.h"

#include <string>

#include "pipelines/progress.h"

namespace tandem {
namespace {

struct Windows {
  std::vector<Example>& examples;
  const SvmOptions& options;

  std::size_t size() const { return examples.size(); }
  bool positive(std::size_t i) const { return examples[i].person; }
  double cost(std::size_t i) const { return positive(i) ? options.person_cost : options.cost; }
  double& dual(std::size_t i) { return examples[i].dual; }
  float dot(std::size_t i, const std::vector<float>& weights) const {
    return examples[i].window.dot(weights);
  }
  void add_to(std::size_t i, std::vector<float>& weights, float times) const {
    examples[i].window.add_to(weights, times);
  }
  float squared_norm(std::size_t i) const { return examples[i].window.squared_norm(); }
};

}  // namespace

LinearSvm train_svm(std::vector<Example>& examples, int filters, float epsilon,
                    const SvmOptions& options, uint64_t seed) {
  Progress progress("SVM, passes over " + std::to_string(examples.size()) + " windows",
                    options.passes);
  Windows windows{examples, options};
  Hyperplane plane =
      descend(windows, std::size_t{4} * VividWindow::kBlocks * filters, options, seed,
              [&](double worst) { progress.advance("worst violation " + std::to_string(worst)); });
  return {filters, std::move(plane.weights), plane.bias, epsilon};
}

}  // namespace tandem
