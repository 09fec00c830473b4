// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/average_precision.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

Photograph with_people(std::vector<Box> people, std::vector<Box> ignored = {}) {
  return {"a.jpg", "a.jpg", std::move(people), std::move(ignored)};
}

Detection at(float x, float score) { return {x, 0, 10, 20, score}; }

TEST(AveragePrecision, IsOneWhenAllAreFoundFirst) {
  const Evaluation e = evaluate({with_people({{0, 0, 10, 20}, {50, 0, 10, 20}})},
                                {{at(50, 2), at(0, 3), at(200, 1)}}, 0.5f);
  EXPECT_EQ(e.objects, 2u);
  EXPECT_EQ(e.detections, 3u);
  EXPECT_DOUBLE_EQ(e.average_precision, 1);
}

TEST(AveragePrecision, IsTheAreaUnderTheInterpolatedCurve) {
  // By falling score: right, wrong, right, wrong; four people. Recall 1/4 at precision 1, recall
  // 2/4 at precision 2/3: 1/4 * 1 + 1/4 * 2/3.
  const Evaluation e =
      evaluate({with_people({{0, 0, 10, 20}, {50, 0, 10, 20}, {100, 0, 10, 20}, {150, 0, 10, 20}})},
               {{at(0, 4), at(300, 3), at(50, 2), at(400, 1)}}, 0.5f);
  EXPECT_DOUBLE_EQ(e.average_precision, 0.25 + 0.25 * 2 / 3);
  ASSERT_EQ(e.curve.size(), 4u);
  EXPECT_DOUBLE_EQ(e.curve[1].precision, 0.5);
  EXPECT_DOUBLE_EQ(e.curve[3].recall, 0.5);
}

TEST(AveragePrecision, InterpolatesAcrossADipOfPrecision) {
  // Wrong, right, right: the precision at recall 1/2 is 1/2, at recall 1 it is 2/3, so 2/3 at both.
  const Evaluation e = evaluate({with_people({{0, 0, 10, 20}, {50, 0, 10, 20}})},
                                {{at(300, 3), at(0, 2), at(50, 1)}}, 0.5f);
  EXPECT_DOUBLE_EQ(e.average_precision, 2.0 / 3);
}

TEST(AveragePrecision, CountsAPersonFoundTwiceAsAMistake) {
  const Evaluation e = evaluate({with_people({{0, 0, 10, 20}})}, {{at(0, 2), at(1, 1)}}, 0.5f);
  EXPECT_DOUBLE_EQ(e.curve.back().precision, 0.5);
  EXPECT_DOUBLE_EQ(e.average_precision, 1);
}

TEST(AveragePrecision, WantsTheOverlap) {
  // A shift of 4 of 10 pixels leaves 6/14 = 0.43.
  const std::vector<Photograph> truth = {with_people({{0, 0, 10, 20}})};
  EXPECT_DOUBLE_EQ(evaluate(truth, {{at(4, 1)}}, 0.5f).average_precision, 0);
  EXPECT_DOUBLE_EQ(evaluate(truth, {{at(4, 1)}}, 0.4f).average_precision, 1);
}

TEST(AveragePrecision, LeavesDetectionsOfIgnoredBoxesOut) {
  const Evaluation e = evaluate({with_people({{0, 0, 10, 20}}, {{100, 0, 10, 20}})},
                                {{at(100, 5), at(101, 4), at(0, 3)}}, 0.5f);
  EXPECT_EQ(e.detections, 1u);
  EXPECT_EQ(e.ignored, 1u);
  EXPECT_DOUBLE_EQ(e.average_precision, 1);
}

TEST(AveragePrecision, KeepsPhotographsApart) {
  const Evaluation e = evaluate({with_people({{0, 0, 10, 20}}), with_people({{50, 0, 10, 20}})},
                                {{at(50, 2)}, {at(0, 1)}}, 0.5f);
  EXPECT_DOUBLE_EQ(e.average_precision, 0);
  EXPECT_EQ(e.detections, 2u);
}

TEST(AveragePrecision, OfNothingIsZero) {
  EXPECT_DOUBLE_EQ(evaluate({}, {}, 0.5f).average_precision, 0);
  EXPECT_DOUBLE_EQ(evaluate({with_people({{0, 0, 10, 20}})}, {{}}, 0.5f).average_precision, 0);
  EXPECT_DOUBLE_EQ(evaluate({with_people({})}, {{at(0, 1)}}, 0.5f).average_precision, 0);
}

TEST(AveragePrecision, TakesDetectionsOfOneScoreTogether) {
  const Evaluation e = evaluate({with_people({{0, 0, 10, 20}})}, {{at(300, 1), at(0, 1)}}, 0.5f);
  ASSERT_EQ(e.curve.size(), 1u);
  EXPECT_DOUBLE_EQ(e.curve[0].precision, 0.5);
}

TEST(EvaluationAt, GivesRecallAndPrecisionFromAThresholdOn) {
  const Evaluation e = evaluate({with_people({{0, 0, 10, 20}, {50, 0, 10, 20}})},
                                {{at(0, 3), at(300, 2), at(50, 1)}}, 0.5f);
  EXPECT_DOUBLE_EQ(e.at(2).recall, 0.5);
  EXPECT_DOUBLE_EQ(e.at(2).precision, 0.5);
  EXPECT_DOUBLE_EQ(e.at(2.5f).precision, 1);
  EXPECT_DOUBLE_EQ(e.at(9).recall, 0);
}

}  // namespace
}  // namespace tandem
