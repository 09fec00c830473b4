// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/svm.h"

#include <gtest/gtest.h>

#include "pipelines/training/random.h"

namespace tandem {
namespace {

constexpr int kFilters = 4;
constexpr float kEpsilon = 0.1f;

/// Windows whose middle cells vote for filter 0 when a person is there and for filter 1 otherwise,
/// among votes by chance.
std::vector<Example> two_kinds(int count, uint64_t seed) {
  Random random(seed);
  std::vector<Example> examples;
  for (int i = 0; i < count; ++i) {
    const bool person = i % 2 == 0;
    Cells cells{{VividWindow::kCellColumns, VividWindow::kCellRows}, {}};
    for (int cell = 0; cell < 8 * 16; ++cell)
      for (int k = 0; k < kFilters; ++k) {
        const bool told = cell / 8 > 4 && cell / 8 < 11 && k == (person ? 0 : 1);
        cells.histogram.push_back(static_cast<float>(random.uniform() + (told ? 1 : 0)));
      }
    examples.push_back({Window(cells, kFilters, 0, 0, kEpsilon), person, 0, 0});
  }
  return examples;
}

int mistakes(const LinearSvm& svm, const std::vector<Example>& examples) {
  int count = 0;
  for (const Example& e : examples) count += (e.window.dot(svm.weights) + svm.bias > 0) != e.person;
  return count;
}

TEST(Svm, SeparatesWindowsThatItHasNotSeen) {
  std::vector<Example> examples = two_kinds(200, 1);
  SvmOptions options;
  options.cost = options.person_cost = 0.01;
  const LinearSvm svm = train_svm(examples, kFilters, kEpsilon, options, 1);
  EXPECT_EQ(mistakes(svm, examples), 0);
  EXPECT_EQ(mistakes(svm, two_kinds(200, 2)), 0);
}

TEST(Svm, MeetsTheOptimalityConditions) {
  // Half of the labels are wrong at random: many variables end at their bound.
  std::vector<Example> examples = two_kinds(120, 3);
  for (std::size_t i = 0; i < examples.size(); i += 5) examples[i].person = !examples[i].person;
  SvmOptions options;
  options.tolerance = 1e-3;
  options.passes = 5000;
  const LinearSvm svm = train_svm(examples, kFilters, kEpsilon, options, 1);
  int at_bound = 0;
  for (const Example& e : examples) {
    const double margin = (e.person ? 1 : -1) * (e.window.dot(svm.weights) + svm.bias);
    if (e.dual <= 0) {
      EXPECT_GT(margin, 1 - 0.01);
    } else if (e.dual >= options.cost) {
      EXPECT_LT(margin, 1 + 0.01);
      ++at_bound;
    } else {
      EXPECT_NEAR(margin, 1, 0.01);
    }
  }
  EXPECT_GT(at_bound, 0);
}

TEST(Svm, GivesTheSameForASeed) {
  std::vector<Example> first = two_kinds(100, 4), second = two_kinds(100, 4);
  const LinearSvm a = train_svm(first, kFilters, kEpsilon, {}, 7);
  const LinearSvm b = train_svm(second, kFilters, kEpsilon, {}, 7);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.bias, b.bias);
}

TEST(Svm, GoesOnFromWhereItStopped) {
  std::vector<Example> examples = two_kinds(100, 5);
  SvmOptions options;
  options.tolerance = 1e-4;
  options.passes = 2000;
  const LinearSvm first = train_svm(examples, kFilters, kEpsilon, options, 1);
  const LinearSvm again = train_svm(examples, kFilters, kEpsilon, options, 2);
  for (std::size_t i = 0; i < first.weights.size(); ++i)
    ASSERT_NEAR(first.weights[i], again.weights[i], 1e-3);
}

}  // namespace
}  // namespace tandem
