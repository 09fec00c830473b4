// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/stream_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tandem {
namespace {

// Of one feature, whose network answers 0.5 * component - partitions' logarithm.
StreamModel small_model() {
  StreamModel model;
  model.features = {{.name = "a", .mean = 10, .deviation = 2, .least = 6, .most = 14}};
  model.components = {{1}};
  model.scales = {1};
  model.networks = {{{.inputs = 4, .outputs = 1, .weights = {0.5, -1, 0, 0}, .biases = {0}}}};
  return model;
}

TEST(StreamModel, ClipsZScoresToTheTraining) {
  const StreamModel model = small_model();
  EXPECT_EQ(model.components_of({{"a", 12}}), std::vector{1.0});
  EXPECT_EQ(model.components_of({{"a", 1000}}), std::vector{2.0});
  EXPECT_EQ(model.components_of({{"a", -1000}}), std::vector{-2.0});
  EXPECT_EQ(model.components_of({}), std::vector{0.0}) << "absent";
  EXPECT_EQ(model.components_of({{"a", std::numeric_limits<double>::quiet_NaN()}}),
            std::vector{0.0});
}

TEST(StreamModel, TakesTheMeanOfNetworks) {
  StreamModel model = small_model();
  model.networks.push_back(model.networks[0]);
  model.networks[1][0].biases = {1};
  EXPECT_NEAR(model.speed_up({2}, {1, 1}), std::exp((1 + 2) / 2.0), 1e-12);
  model.mean = 0.25;
  model.deviation = 2;
  EXPECT_NEAR(model.speed_up({2}, {1, 1}), std::exp(0.25 + 2 * 1.5), 1e-12);
}

TEST(StreamModel, RanksTheBestFirstAndKeepsEqualsInOrder) {
  const std::vector<StreamCandidate> candidates{{4, 4}, {1, 2}, {2, 2}, {1, 1}};
  const auto ranked = small_model().rank({{"a", 10}}, candidates);
  EXPECT_EQ(ranked, (std::vector<StreamCandidate>{{1, 2}, {1, 1}, {2, 2}, {4, 4}}));
  EXPECT_TRUE(small_model().rank({}, {}).empty());
}

TEST(StreamModel, HiddenLayersBend) {
  const StreamModel::Network network{
      {.inputs = 1, .outputs = 2, .weights = {1, -2}, .biases = {0, 0.5}},
      {.inputs = 2, .outputs = 1, .weights = {3, 1}, .biases = {0.25}}};
  EXPECT_NEAR(output_of(network, {0.7}), 3 * std::tanh(0.7) + std::tanh(0.5 - 1.4) + 0.25, 1e-12);
}

TEST(StreamFeatures, AreLogarithmsAndShares) {
  const auto features = combined_features(
      {{"instructions", 1023},
       {"transfer", 1023},
       {"host-to-device", 100},
       {"redundant-transfer", 25}},
      {{"upload-ns", 30}, {"kernel-ns", 60}, {"download-ns", 10}, {"launches", 2}});
  EXPECT_NEAR(features.at("log-instructions"), 10, 1e-12);
  EXPECT_NEAR(features.at("intensity"), 1, 1e-12);
  EXPECT_NEAR(features.at("redundant-share"), 0.25, 1e-12);
  EXPECT_NEAR(features.at("upload-share"), 0.3, 1e-12);
  EXPECT_NEAR(features.at("kernel-share"), 0.6, 1e-12);
  EXPECT_NEAR(features.at("log-launch-ns"), std::log2(31), 1e-12);
  EXPECT_FALSE(features.contains("l1-miss")) << "nothing is made up for what is absent";
}

}  // namespace
}  // namespace tandem
