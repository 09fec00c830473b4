// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_classifier/detections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace tandem {
namespace {

TEST(CollectDetections, MapsAWindowToThePersonInIt) {
  // The window of cell (2, 1) starts at pixel (17, 9) of a level that is half the frame's size.
  float scores[2 * 3] = {-1, -1, -1, -1, -1, 2};
  std::vector<Detection> found;
  collect_detections({scores, 3, 2, 3}, 2.0, 0.0f, 640, 480, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FLOAT_EQ(found[0].x, 2 * (17 + PersonBox::kLeft));
  EXPECT_FLOAT_EQ(found[0].y, 2 * (9 + PersonBox::kTop));
  EXPECT_FLOAT_EQ(found[0].width, 2 * PersonBox::kWidth);
  EXPECT_FLOAT_EQ(found[0].height, 2 * PersonBox::kHeight);
  EXPECT_FLOAT_EQ(found[0].score, 2);
}

TEST(CollectDetections, TakesScoresFromTheThresholdOnAndNoNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  float scores[4] = {0.5f, 0.49f, nan, 0.51f};
  std::vector<Detection> found;
  collect_detections({scores, 4, 1, 4}, 1.0, 0.5f, 640, 480, found);
  EXPECT_EQ(found.size(), 2u);
}

TEST(CollectDetections, ClipsToTheFrameAndHeedsTheStride) {
  float scores[2 * 5] = {-1, 9, 9, 9, 9, 1, 9, 9, 9, 9};  // one column, stride 5
  std::vector<Detection> found;
  collect_detections({scores, 1, 2, 5}, 1.0, 0.0f, 40, 100, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FLOAT_EQ(found[0].x + found[0].width, 40);
  EXPECT_FLOAT_EQ(found[0].y + found[0].height, 100);
}

TEST(CollectDetections, AppendsAndSurvivesAnEmptyLevel) {
  std::vector<Detection> found(1);
  collect_detections({nullptr, 0, 0, 0}, 1.0, -10.0f, 10, 10, found);
  EXPECT_EQ(found.size(), 1u);
}

TEST(Overlap, IsIntersectionOverUnion) {
  const Detection a{0, 0, 10, 10, 0}, b{5, 0, 10, 10, 0}, c{20, 20, 1, 1, 0};
  EXPECT_FLOAT_EQ(overlap(a, b), 50.0f / 150.0f);
  EXPECT_FLOAT_EQ(overlap(a, a), 1);
  EXPECT_FLOAT_EQ(overlap(a, c), 0);
  EXPECT_FLOAT_EQ(overlap({}, {}), 0);
}

TEST(SuppressOverlaps, KeepsTheStrongestOfEachCluster) {
  std::vector<Detection> d = {{0, 0, 10, 20, 1}, {1, 0, 10, 20, 3}, {100, 0, 10, 20, 2}};
  suppress_overlaps(d, 0.5f, 100);
  ASSERT_EQ(d.size(), 2u);
  EXPECT_FLOAT_EQ(d[0].score, 3);
  EXPECT_FLOAT_EQ(d[1].score, 2);
}

TEST(SuppressOverlaps, KeepsABoxThatOnlyASuppressedOneHides) {
  // b hides c, a hides b, a does not hide c.
  std::vector<Detection> d = {{0, 0, 10, 10, 3}, {3, 0, 10, 10, 2}, {6, 0, 10, 10, 1}};
  suppress_overlaps(d, 0.5f, 100);
  ASSERT_EQ(d.size(), 2u);
  EXPECT_FLOAT_EQ(d[1].x, 6);
}

TEST(SuppressOverlaps, ComparesBoxesOfOneClass) {
  std::vector<Detection> d = {{0, 0, 10, 10, 3, 1}, {0, 0, 10, 10, 2, 0}, {0, 0, 10, 10, 1, 1}};
  suppress_overlaps(d, 0.5f, 100);
  ASSERT_EQ(d.size(), 2u);
  EXPECT_EQ(d[0].label, 1);
  EXPECT_EQ(d[1].label, 0);
}

TEST(SuppressOverlaps, KeepsNoMoreThanTheLimit) {
  std::vector<Detection> d;
  for (int i = 0; i < 50; ++i) d.push_back({20.0f * i, 0, 10, 10, static_cast<float>(i)});
  suppress_overlaps(d, 0.5f, 3);
  ASSERT_EQ(d.size(), 3u);
  EXPECT_FLOAT_EQ(d[0].score, 49);
  suppress_overlaps(d, 0.5f, 0);
  EXPECT_TRUE(d.empty());
}

TEST(SuppressOverlaps, DoesNotDependOnTheOrderOfItsInput) {
  std::vector<Detection> d;
  for (int i = 0; i < 40; ++i) d.push_back({3.0f * i, 1.0f * (i % 3), 10, 10, 1.0f * (i % 4)});
  std::vector<Detection> reversed(d.rbegin(), d.rend());
  suppress_overlaps(d, 0.3f, 100);
  suppress_overlaps(reversed, 0.3f, 100);
  ASSERT_EQ(d.size(), reversed.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    EXPECT_EQ(d[i].x, reversed[i].x);
    EXPECT_EQ(d[i].score, reversed[i].score);
  }
}

}  // namespace
}  // namespace tandem
