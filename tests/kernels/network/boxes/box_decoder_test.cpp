// SPDX-License-Identifier: LGPL-2.1-or-later
// Synthetic outputs of networks, whose boxes are known.
#include "kernels/network/boxes/box_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

namespace tandem::network {
namespace {

using Decoder = ModelInfo::Decoder;
using Scores = ModelInfo::Scores;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

ModelInfo info_of(Decoder decoder, Scores scores = Scores::probabilities) {
  ModelInfo info;
  info.decoder = decoder;
  info.scores = scores;
  info.labels = {"person", "car"};
  return info;
}

/// An output with the sides that it has in the file.
struct Output {
  std::vector<std::size_t> shape;
  std::vector<float> values;

  Output(std::size_t rows, std::size_t columns, float value = 0)
      : shape{1, rows, columns}, values(rows * columns, value) {}
  float& at(std::size_t row, std::size_t column) { return values[row * shape[2] + column]; }
};

std::vector<Detection> found_in(const ModelInfo& info, const Output& output, int width, int height,
                                float threshold, const std::vector<bool>& wanted = {}) {
  std::vector<Detection> found(3);  // what was in it is replaced
  make_box_decoder(info, {output.shape, width, height, wanted})
      ->decode(output.values.data(), threshold, found);
  std::sort(found.begin(), found.end(),
            [](const Detection& a, const Detection& b) { return a.score > b.score; });
  return found;
}

void expect_box(const Detection& box, float x, float y, float width, float height, float score,
                int label) {
  EXPECT_NEAR(box.x, x, 1e-3);
  EXPECT_NEAR(box.y, y, 1e-3);
  EXPECT_NEAR(box.width, width, 1e-3);
  EXPECT_NEAR(box.height, height, 1e-3);
  EXPECT_NEAR(box.score, score, 1e-5);
  EXPECT_EQ(box.label, label);
}

std::string error_of(const ModelInfo& info, const std::vector<std::size_t>& shape, int width,
                     int height) {
  try {
    make_box_decoder(info, {shape, width, height, {}});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

/// 64 x 32 pixels: 8 x 4, 4 x 2 and 2 x 1 places.
Output nanodet_output(float logit = 0) { return {2 + 4 * 11, 32 + 8 + 2, logit}; }

void put_distances(Output& output, std::size_t place, std::array<std::size_t, 4> bins) {
  for (std::size_t side = 0; side < 4; ++side)
    for (std::size_t bin = 0; bin < 11; ++bin)
      output.at(2 + side * 11 + bin, place) = bin == bins[side] ? 50.0f : 0.0f;
}

TEST(Nanodet, MeasuresFromTheCentreOfAPlace) {
  Output output = nanodet_output();
  output.at(0, 8 + 3) = 0.75f;  // (3, 1) of stride 8
  put_distances(output, 8 + 3, {1, 0, 2, 3});
  output.at(1, 32 + 8 + 1) = 0.5f;  // (1, 0) of stride 32
  put_distances(output, 32 + 8 + 1, {1, 1, 0, 1});
  output.at(1, 5) = 0.49f;
  const auto found = found_in(info_of(Decoder::nanodet), output, 64, 32, 0.5f);
  ASSERT_EQ(found.size(), 2u);
  expect_box(found[0], 28 - 8, 12, 8 + 16, 24, 0.75f, 0);
  expect_box(found[1], 48 - 32, 16 - 32, 32, 64, 0.5f, 1);
}

TEST(Nanodet, TakesTheExpectationOfADistance) {
  Output output = nanodet_output();
  output.at(0, 0) = 1;
  output.at(2 + 3, 0) = std::log(21.0f);  // left: 3 bins of 21, 10 others of 1
  const auto found = found_in(info_of(Decoder::nanodet), output, 64, 32, 0.5f);
  ASSERT_EQ(found.size(), 1u);
  const float left = (21 * 3 + (55 - 3)) / 31.0f * 8, other = 5 * 8;
  expect_box(found[0], 4 - left, 4 - other, left + other, 2 * other, 1, 0);
}

TEST(Nanodet, SidesRoundUp) {
  const ModelInfo info = info_of(Decoder::nanodet);
  const std::size_t places = 9 * 5 + 5 * 3 + 3 * 2;
  EXPECT_EQ(error_of(info, {1, 46, places}, 65, 33), "");
  EXPECT_NE(error_of(info, {1, 46, places}, 64, 33).find("`strides`"), std::string::npos);
}

// 13 GB of places were made before they were counted.
TEST(Nanodet, CountsPlacesBeforeItMakesThem) {
  ModelInfo info = info_of(Decoder::nanodet);
  info.strides.assign(16, 1);
  EXPECT_NE(error_of(info, {1, 46, 7}, 8192, 8192).find("1073741824: write the strides"),
            std::string::npos);
}

TEST(Nanodet, ReadsLogits) {
  Output output = nanodet_output();
  for (std::size_t label = 0; label < 2; ++label)
    for (std::size_t place = 0; place < 42; ++place) output.at(label, place) = -9;
  output.at(1, 7) = 0;
  EXPECT_EQ(found_in(info_of(Decoder::nanodet, Scores::sigmoid), output, 64, 32, 0.51f).size(), 0u);
  const auto found = found_in(info_of(Decoder::nanodet, Scores::sigmoid), output, 64, 32, 0.49f);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].score, 0.5f, 1e-6);
}

TEST(Nanodet, FindsTheWantedClassesAlone) {
  Output output = nanodet_output();
  output.at(0, 1) = output.at(1, 2) = 0.9f;
  const auto found = found_in(info_of(Decoder::nanodet), output, 64, 32, 0.5f, {false, true});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, 1);
}

/// Anchors: 2 x 2 places of 3, and one place of the ratios and a square.
ModelInfo ssd_info(Scores scores) {
  ModelInfo info = info_of(Decoder::ssd, scores);
  info.anchors.grids = {2, 1};
  info.anchors.least_scale = 0.2f;
  info.anchors.most_scale = 0.8f;
  info.anchors.ratios = {1, 4};
  return info;
}
constexpr std::size_t kSsdAnchors = 2 * 2 * 3 + 3;
Output ssd_output() { return {kSsdAnchors, 4 + 3}; }

TEST(Ssd, DecodesItsAnchors) {
  Output output = ssd_output();
  output.at(2 * 3, 5) = 0.9f;  // place (0, 1): a square of 0.1
  output.at(4, 6) = 0.8f;      // place (1, 0): 0.2 with ratio 2
  output.at(13, 5) = 0.7f;     // the last place: 0.8 with ratio 4
  output.at(14, 5) = 0.6f;     // its square, between 0.8 and 1
  output.at(14, 0) = 1;        // codes: centre down by a tenth of the height
  output.at(14, 1) = -2;
  output.at(14, 2) = 5 * std::log(2.0f);  // twice as high
  output.at(14, 3) = 5 * std::log(0.5f);
  output.at(1, 4) = 1;  // the background
  const auto found = found_in(ssd_info(Scores::probabilities), output, 200, 100, 0.5f);
  ASSERT_EQ(found.size(), 4u);
  expect_box(found[0], 50 - 10, 75 - 5, 20, 10, 0.9f, 0);
  const float root = std::sqrt(2.0f);
  expect_box(found[1], 150 - 20 * root, 25 - 10 / root, 40 * root, 20 / root, 0.8f, 1);
  expect_box(found[2], 100 - 160, 50 - 20, 320, 40, 0.7f, 0);
  const float side = std::sqrt(0.8f);
  expect_box(found[3], 100 - 0.2f * side * 200 - side * 50, 50 + 0.1f * side * 100 - side * 100,
             side * 100, side * 200, 0.6f, 0);
}

TEST(Ssd, SoftmaxComparesWithAllClasses) {
  Output output = ssd_output();
  for (std::size_t a = 0; a < kSsdAnchors; ++a) output.at(a, 4) = 10;
  output.at(5, 4) = 0;
  output.at(5, 5) = std::log(2.0f);
  output.at(5, 6) = std::log(5.0f);
  const ModelInfo info = ssd_info(Scores::softmax);
  auto found = found_in(info, output, 200, 100, 0.24f);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].score, 5 / 8.0f, 1e-6);
  EXPECT_NEAR(found[1].score, 2 / 8.0f, 1e-6);
  EXPECT_EQ(found_in(info, output, 200, 100, 0.26f).size(), 1u);
  output.at(5, 6) = 200;  // whose exponential is infinite
  found = found_in(info, output, 200, 100, 0.5f);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].score, 1, 1e-6);
}

TEST(Ssd, SigmoidLooksAtEachClass) {
  Output output = ssd_output();
  for (float& value : output.values) value = -20;
  for (std::size_t code = 0; code < 4; ++code) output.at(3, code) = 0;
  output.at(3, 5) = output.at(3, 6) = 1;
  const auto found = found_in(ssd_info(Scores::sigmoid), output, 200, 100, 0.5f);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].score, 1 / (1 + std::exp(-1.0f)), 1e-6);
}

TEST(Ssd, PublishedNetworksHave1917Anchors) {
  ModelInfo info = info_of(Decoder::ssd, Scores::sigmoid);
  EXPECT_EQ(error_of(info, {1, 1917, 7}, 300, 300), "");
  EXPECT_NE(error_of(info, {1, 1916, 7}, 300, 300).find("1917"), std::string::npos);
}

TEST(YoloV5, MultipliesByObjectness) {
  Output output(6, 4 + 1 + 2);
  const auto put = [&](std::size_t place, std::vector<float> values) {
    std::copy(values.begin(), values.end(), &output.at(place, 0));
  };
  put(1, {100, 50, 20, 10, 0.8f, 0.9f, 0.7f});
  put(3, {10, 20, 4, 8, 0.9f, 0.1f, 1});
  put(4, {10, 20, 4, 8, 0.49f, 1, 1});
  put(5, {10, 20, 4, 8, 1, 0.49f, 0.49f});
  const auto found = found_in(info_of(Decoder::yolov5), output, 320, 320, 0.5f);
  ASSERT_EQ(found.size(), 2u);
  expect_box(found[0], 8, 16, 4, 8, 0.9f, 1);
  expect_box(found[1], 90, 45, 20, 10, 0.72f, 0);  // the best of two classes
}

TEST(YoloX, HasCodesOfItsGrids) {
  // 8 x 4 places of stride 8, 4 x 2 of 16 and 2 x 1 of 32.
  Output output(32 + 8 + 2, 4 + 1 + 2);
  const auto put = [&](std::size_t place, std::vector<float> values) {
    std::copy(values.begin(), values.end(), &output.at(place, 0));
  };
  put(8 + 3, {0.5f, 0.25f, std::log(2.0f), 0, 1, 0.9f, 0});       // column 3, row 1 of the first
  put(32 + 4 + 2, {0, -0.5f, 0, std::log(0.5f), 0.8f, 0.1f, 1});  // column 2, row 1
  put(32 + 8 + 1, {0.5f, 0.5f, 0, 0, 0.4f, 1, 1});                // below the threshold
  const auto found = found_in(info_of(Decoder::yolox), output, 64, 32, 0.5f);
  ASSERT_EQ(found.size(), 2u);
  expect_box(found[0], 20, 6, 16, 8, 0.9f, 0);
  expect_box(found[1], 24, 4, 16, 8, 0.8f, 1);
  EXPECT_NE(error_of(info_of(Decoder::yolox), {1, 43, 7}, 64, 32).find("42"), std::string::npos);
}

TEST(YoloV8, HasTheBestClassOfAPlace) {
  Output output(4 + 2, 100);
  const auto put = [&](std::size_t place, std::vector<float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) output.at(i, place) = values[i];
  };
  put(99, {100, 50, 20, 10, 0.6f, 0.7f});
  put(3, {10, 20, 4, 8, 0.9f, 0.2f});
  put(70, {10, 20, 4, 8, 0.4f, 0.4f});
  const auto found = found_in(info_of(Decoder::yolov8), output, 320, 320, 0.5f);
  ASSERT_EQ(found.size(), 2u);
  expect_box(found[0], 8, 16, 4, 8, 0.9f, 0);
  expect_box(found[1], 90, 45, 20, 10, 0.7f, 1);
}

struct Case {
  ModelInfo info;
  Output output;
  int width, height;
};
std::vector<Case> all_cases() {
  return {{info_of(Decoder::nanodet), nanodet_output(), 64, 32},
          {info_of(Decoder::nanodet, Scores::sigmoid), nanodet_output(), 64, 32},
          {ssd_info(Scores::softmax), ssd_output(), 64, 32},
          {ssd_info(Scores::probabilities), ssd_output(), 64, 32},
          {info_of(Decoder::yolov5), {300, 7}, 64, 32},
          {info_of(Decoder::yolox), {42, 7}, 64, 32},
          {info_of(Decoder::yolov8, Scores::sigmoid), {6, 300}, 64, 32}};
}

TEST(BoxDecoder, WhatIsNoNumberIsNoDetection) {
  std::mt19937 random(3);
  for (Case& c : all_cases()) {
    for (const float everywhere : {kNan, kInfinity, -kInfinity}) {
      std::fill(c.output.values.begin(), c.output.values.end(), everywhere);
      EXPECT_TRUE(found_in(c.info, c.output, c.width, c.height, 0.5f).empty());
    }
    for (int i = 0; i < 200; ++i) {
      const bool logits = c.info.scores != Scores::probabilities;
      const float most = logits ? 1e30f : 1;
      const float odd[] = {kNan, kInfinity, -kInfinity, most, -1e30f, 0.7f, logits ? 20 : 1.0f};
      for (float& value : c.output.values) value = odd[random() % 7];
      for (const float threshold : {0.0f, 0.5f, 1.0f}) {
        for (const Detection& d : found_in(c.info, c.output, c.width, c.height, threshold)) {
          EXPECT_TRUE(std::isfinite(d.x + d.y) && d.width > 0 && d.height > 0);
          EXPECT_TRUE(std::isfinite(d.width) && std::isfinite(d.height));
          EXPECT_GE(d.score, threshold);
        }
      }
    }
  }
}

TEST(BoxDecoder, KeepsTheStrongest) {
  Output output(4 + 2, 5000);
  for (std::size_t place = 0; place < 5000; ++place) {
    output.at(2, place) = output.at(3, place) = 1;
    output.at(4, place) = static_cast<float>(place * 7919 % 5000) / 5000;
  }
  const auto found = found_in(info_of(Decoder::yolov8), output, 64, 64, 0);
  ASSERT_EQ(found.size(), kMostCandidates);
  EXPECT_FLOAT_EQ(found.front().score, 4999 / 5000.0f);
  EXPECT_FLOAT_EQ(found.back().score, 4000 / 5000.0f);
}

TEST(BoxDecoder, LogitsAreNoProbabilities) {
  for (Case& c : all_cases()) {
    std::fill(c.output.values.begin(), c.output.values.end(), 1.5f);
    if (c.info.scores == Scores::probabilities) {
      EXPECT_THROW(found_in(c.info, c.output, c.width, c.height, 0.5f), std::runtime_error);
    } else {
      found_in(c.info, c.output, c.width, c.height, 0.5f);
    }
  }
}

/// Scores of an output, without codes, the background and distances.
std::size_t scores_of(const Case& c) {
  const std::size_t rows = c.output.shape[1], columns = c.output.shape[2];
  switch (c.info.decoder) {
    case Decoder::ssd:
      return 2 * rows;
    case Decoder::yolov5:
    case Decoder::yolox:
      return 3 * rows;  // with objectness
    default:
      return 2 * columns;
  }
}

TEST(BoxDecoder, AdvisesOnScores) {
  for (Case& c : all_cases()) {
    const auto decoder = make_box_decoder(c.info, {c.output.shape, c.width, c.height, {}});
    const auto advice = [&] {
      return scores_advice(c.info, decoder->score_range(c.output.values.data()));
    };
    const bool logits = c.info.scores != Scores::probabilities;
    const std::string all_within = logits ? "write scores=probabilities" : "";
    std::fill(c.output.values.begin(), c.output.values.end(), 0.5f);
    EXPECT_NE(advice().find(all_within), std::string::npos);
    EXPECT_EQ(advice().empty(), !logits);
    std::size_t scores = 0;
    for (float& value : c.output.values) {
      value = -0.02f;
      const std::string found = advice();
      if (found.empty() == logits) {
        ++scores;
        EXPECT_EQ(found.find("write scores=sigmoid") == found.npos, logits);
      }
      value = 0.5f;
    }
    EXPECT_EQ(scores, scores_of(c));
    std::fill(c.output.values.begin(), c.output.values.end(), kNan);
    EXPECT_EQ(advice(), "");
  }
}

TEST(BoxDecoder, AdvisesOnTheScoresOfClasses) {
  const auto advice = [](Scores scores, float least, float most) {
    return scores_advice(info_of(Decoder::classes, scores), {least, most});
  };
  EXPECT_NE(advice(Scores::probabilities, -2, 0.7f), "");
  EXPECT_EQ(advice(Scores::probabilities, -0.001f, 0.7f), "");
  EXPECT_EQ(advice(Scores::softmax, -2, 3), "");
  EXPECT_EQ(advice(Scores::softmax, 0.1f, 0.7f), "") << "logits may lie there";
}

TEST(BoxDecoder, WhatContradictsItselfIsRefused) {
  for (const Case& c : all_cases()) {
    EXPECT_EQ(error_of(c.info, c.output.shape, c.width, c.height), "");
    ModelInfo few = c.info;
    few.labels.pop_back();
    EXPECT_NE(error_of(few, c.output.shape, c.width, c.height)
                  .find("has 2 classes, but 1 are named: write one label a class"),
              std::string::npos);
    few.labels = {"a", "b", "c"};
    EXPECT_NE(error_of(few, c.output.shape, c.width, c.height), "");
    EXPECT_NE(error_of(c.info, {1, 3, 4, 5}, c.width, c.height).find("1 x 3 x 4 x 5"),
              std::string::npos);
    EXPECT_NE(error_of(c.info, {1, 3, 3}, c.width, c.height), "");
    EXPECT_NE(error_of(c.info, {7}, c.width, c.height), "");
  }
  for (const Decoder decoder : {Decoder::nanodet, Decoder::yolov5, Decoder::yolov8})
    EXPECT_NE(error_of(info_of(decoder, Scores::softmax), {1, 46, 42}, 64, 32).find("softmax"),
              std::string::npos);
  EXPECT_NE(error_of(info_of(Decoder::classes), {1, 2}, 64, 32).find("decodes no boxes"),
            std::string::npos);
}

TEST(BestClass, IsTheTopOne) {
  const std::vector<float> logits{1, kNan, 3, 2};
  const FrameClass softmax = best_class(logits, Scores::softmax);
  EXPECT_EQ(softmax.label, 2);
  EXPECT_NEAR(softmax.probability, 1 / (1 + std::exp(-1.0f) + std::exp(-2.0f)), 1e-6);
  EXPECT_NEAR(best_class(logits, Scores::sigmoid).probability, 1 / (1 + std::exp(-3.0f)), 1e-6);
  EXPECT_THROW(best_class(logits, Scores::probabilities), std::runtime_error);
  EXPECT_EQ(best_class(std::vector<float>{0.2f, 0.8f}, Scores::probabilities).label, 1);
  EXPECT_EQ(best_class(std::vector<float>{kNan, kNan}, Scores::softmax).label, -1);
  EXPECT_EQ(best_class({}, Scores::softmax).label, -1);
  const std::vector<float> large{1000, 900};
  EXPECT_EQ(best_class(large, Scores::softmax).probability, 1);
}

}  // namespace
}  // namespace tandem::network
