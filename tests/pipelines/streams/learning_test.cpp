// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "pipelines/streams/feature_selection.h"
#include "pipelines/streams/methods.h"
#include "pipelines/streams/network_trainer.h"
#include "pipelines/streams/statistics.h"

namespace tandem::streams {
namespace {

TEST(Spread, FollowsStudentsT) {
  const Spread spread = spread_of({10, 12, 11});
  EXPECT_EQ(spread.median, 11);
  EXPECT_NEAR(spread.mean, 11, 1e-12);
  EXPECT_NEAR(spread.interval, 2 * 4.303 * 1 / std::sqrt(3.0) / 11, 1e-9);
  EXPECT_EQ(spread_of({5, 5, 5, 5}).interval, 0);
  EXPECT_EQ(spread_of({5}).interval, 1) << "nothing is known of a single run";
  EXPECT_EQ(spread_of({4, 1, 2, 3}).median, 2.5);
}

TEST(FeatureSelection, CorrelationIsPearsons) {
  EXPECT_NEAR(correlation({1, 2, 3}, {2, 4, 6}), 1, 1e-12);
  EXPECT_NEAR(correlation({1, 2, 3}, {6, 4, 2}), -1, 1e-12);
  EXPECT_NEAR(correlation({1, 2, 3, 4}, {1, -1, -1, 1}), 0, 1e-12);
  EXPECT_EQ(correlation({1, 2, 3}, {5, 5, 5}), 0);
}

TEST(FeatureSelection, DropsConstantsAndTheLaterOfTwoAlike) {
  const std::vector<Column> columns{{7, 7, 7, 7}, {1, 2, 3, 4}, {1, 2, 3, 5}, {1, -1, -1, 1}};
  EXPECT_EQ(uncorrelated(columns), (std::vector<std::size_t>{1, 3}));
}

TEST(FeatureSelection, PrincipalComponentsAreThoseOfTwoColumns) {
  // Along (1, 1) and (1, -1): variances 4 and 1.
  const std::vector<Column> columns{{std::sqrt(2.0), -std::sqrt(2.0), 0.5, -0.5, 0.5, -0.5},
                                    {std::sqrt(2.0), -std::sqrt(2.0), 0.5, -0.5, -0.5, 0.5}};
  const PrincipalComponents found = principal_components(columns);
  ASSERT_EQ(found.directions.size(), 2U);
  EXPECT_GT(found.variances[0], found.variances[1]);
  EXPECT_NEAR(std::fabs(found.directions[0][0]), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(found.directions[0][0], found.directions[0][1], 1e-9);
  EXPECT_NEAR(found.directions[1][0], -found.directions[1][1], 1e-9);
  EXPECT_EQ(principal_components(columns, 0.5).directions.size(), 1U);
}

TEST(FeatureSelection, ComponentsOfColumnsThatDependAreFewer) {
  const std::vector<Column> columns{{1, -1, 2, -2}, {2, -2, 4, -4}, {1, 1, -1, -1}};
  const PrincipalComponents found = principal_components(columns);
  EXPECT_EQ(found.directions.size(), 2U);
  const double variance = std::accumulate(found.variances.begin(), found.variances.end(), 0.0);
  EXPECT_NEAR(variance, 2.5 + 10 + 1, 1e-9) << "that of the columns";
}

TEST(FeatureSelection, ImportancesAddUpToOne) {
  const PrincipalComponents found =
      principal_components({{1, -1, 2, -2}, {2, -1, 1, -2}, {1, 1, -1, -1}});
  const auto importance = importance_by_varimax(found);
  ASSERT_EQ(importance.size(), 3U);
  EXPECT_NEAR(std::accumulate(importance.begin(), importance.end(), 0.0), 1, 1e-9);
}

Rows wave() {
  Rows rows{.columns = 2};
  for (int i = 0; i < 200; ++i) {
    const double x = -1 + i / 100.0, y = std::sin(i * 0.37);
    rows.inputs.insert(rows.inputs.end(), {x, y});
    rows.wanted.push_back(std::sin(3 * x) * y);
  }
  return rows;
}

TEST(Network, GradientIsThatOfTheError) {
  Rows rows = wave();
  for (std::size_t i = 0; i < rows.count(); ++i) rows.weights.push_back(1 + 0.01 * i);
  StreamModel::Network network = make_network(2, {.hidden = {4, 3}});
  std::vector<std::size_t> order(rows.count());
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> gradient, other;
  error_and_gradient(network, rows, order, 5, 42, gradient);
  std::size_t at = 0;
  constexpr double kStep = 1e-6;
  for (StreamModel::Layer& layer : network) {
    for (auto* values : {&layer.weights, &layer.biases}) {
      for (double& value : *values) {
        const double before = value;
        value = before + kStep;
        const double more = error_and_gradient(network, rows, order, 5, 42, other);
        value = before - kStep;
        const double less = error_and_gradient(network, rows, order, 5, 42, other);
        value = before;
        EXPECT_NEAR(gradient[at], (more - less) / (2 * kStep), 1e-6) << at;
        ++at;
      }
    }
  }
  EXPECT_EQ(at, gradient.size());
}

TEST(Network, LearnsAWave) {
  const Rows rows = wave();
  const auto network = train_network(rows, {.epochs = 400});
  double squares = 0;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const double error =
        output_of(network, {rows.inputs[2 * i], rows.inputs[2 * i + 1]}) - rows.wanted[i];
    squares += error * error;
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(rows.count())), 0.1);
}

TEST(Network, IsTheSameForTheSameSeed) {
  const Rows rows = wave();
  const auto train = [&](uint64_t seed) {
    return train_network(rows, {.epochs = 3, .seed = seed})[0].weights;
  };
  EXPECT_EQ(train(4), train(4));
  EXPECT_NE(train(4), train(5));
}

TEST(Analytic, LineIsLeastSquares) {
  const Line line = line_through({0, 1, 2}, {1, 3, 5});
  EXPECT_NEAR(line.slope, 2, 1e-12);
  EXPECT_NEAR(line.start, 1, 1e-12);
  EXPECT_EQ(line_through({2, 2}, {1, 3}).slope, 0);
}

TEST(Analytic, LiuTakesTwoTasksWhereCopiesDominate) {
  const CopyCosts costs{.upload = {0.1, 1000}, .download = {0.1, 1000}, .launch_ns = 10000};
  EXPECT_EQ(tasks_by_liu(costs, {{"upload-ns", 10}, {"download-ns", 1}, {"kernel-ns", 5}}), 2);
  // sqrt(bytes * alpha / gamma)
  EXPECT_NEAR(
      tasks_by_liu(
          costs,
          {{"upload-bytes", 1.6e6}, {"upload-ns", 1.6e5}, {"kernel-ns", 1e7}, {"launches", 1}}),
      4, 1e-9);
}

TEST(Analytic, WerkhovenBalancesGapsAndTheLastTask) {
  const CopyCosts costs{.upload = {0.1, 1000}, .download = {0.1, 1000}};
  // 1000 (n - 1) >= (80000 + 10000) / n
  EXPECT_EQ(tasks_by_werkhoven(costs, {{"upload-bytes", 1e5}, {"kernel-ns", 80000}}), 10);
  EXPECT_EQ(tasks_by_werkhoven(costs, {{"upload-bytes", 0}, {"kernel-ns", 0}}), 1);
}

}  // namespace
}  // namespace tandem::streams
