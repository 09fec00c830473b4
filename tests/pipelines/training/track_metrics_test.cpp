// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include "pipelines/training/evaluation/track_file.h"

namespace tandem {
namespace {

constexpr double kOverlap = 0.5;

TrackBox at(double x) { return {x, 0, 10, 10}; }

// Two objects for five frames, counted by hand:
//
// | frame | object 1 (at 0) | object 2 (at 100) | others |
// | --- | --- | --- | --- |
// | 1 | id 7 | id 8 | |
// | 2 | id 7 | missed | |
// | 3 | id 9: a switch | id 8 | |
// | 4 | id 9 | id 8 | id 7 at 500: false |
// | 5 | id 9 | missed | id 10 at 106, too far from object 2: false |
//
// Of 10 boxes, 2 + 1 + 2 + 2 + 1 = 8 are matched; 10 are found. Identities: object 1 is id 9 (3 of
// its frames), object 2 is id 8 (3 frames), so that 6 boxes have the right one.
Tracks truth() {
  Tracks tracks;
  for (int frame = 1; frame <= 5; ++frame) tracks[frame] = {{1, at(0)}, {2, at(100)}};
  return tracks;
}
Tracks found() {
  return {{1, {{7, at(0)}, {8, at(100)}}},
          {2, {{7, at(0)}}},
          {3, {{9, at(0)}, {8, at(100)}}},
          {4, {{9, at(0)}, {8, at(100)}, {7, at(500)}}},
          {5, {{9, at(0)}, {10, at(106)}}}};
}

TEST(TrackMetrics, AreWhatIsCountedByHand) {
  const TrackEvaluation e = evaluate_tracks(truth(), found(), kOverlap);
  EXPECT_EQ(e.frames, 5u);
  EXPECT_EQ(e.objects, 2u);
  EXPECT_EQ(e.tracks, 4u);
  EXPECT_EQ(e.boxes, 10u);
  EXPECT_EQ(e.found, 10u);
  EXPECT_EQ(e.matches, 8u);
  EXPECT_EQ(e.misses(), 2u);
  EXPECT_EQ(e.false_positives(), 2u);
  EXPECT_EQ(e.switches, 1u);
  EXPECT_DOUBLE_EQ(e.mota(), 1 - 5 / 10.0);
  EXPECT_DOUBLE_EQ(e.motp(), 1);
  EXPECT_EQ(e.id_matches, 6u);
  EXPECT_DOUBLE_EQ(e.id_precision(), 0.6);
  EXPECT_DOUBLE_EQ(e.id_recall(), 0.6);
  EXPECT_DOUBLE_EQ(e.idf1(), 0.6);
}

TEST(TrackMetrics, ThePerfectResultIsOne) {
  const TrackEvaluation e = evaluate_tracks(truth(), truth(), kOverlap);
  EXPECT_DOUBLE_EQ(e.mota(), 1);
  EXPECT_DOUBLE_EQ(e.idf1(), 1);
  EXPECT_EQ(e.switches, 0u);
}

TEST(TrackMetrics, NothingFoundIsZero) {
  const TrackEvaluation e = evaluate_tracks(truth(), {}, kOverlap);
  EXPECT_DOUBLE_EQ(e.mota(), 0);
  EXPECT_DOUBLE_EQ(e.idf1(), 0);
  EXPECT_EQ(e.misses(), 10u);
}

TEST(TrackMetrics, FoundWhereNothingIsGoesBelowZero) {
  Tracks far = found();
  for (auto& [frame, boxes] : far)
    for (IdentifiedBox& one : boxes) one.box.x += 1000;
  EXPECT_DOUBLE_EQ(evaluate_tracks(truth(), far, kOverlap).mota(), -1);
}

// A pair stays one while it overlaps enough, though another box overlaps more.
TEST(TrackMetrics, APairOfTheFrameBeforeStays) {
  const Tracks one{{1, {{1, at(0)}}}, {2, {{1, at(0)}}}};
  const Tracks two{{1, {{7, at(0)}}}, {2, {{8, at(0)}, {7, at(2)}}}};
  const TrackEvaluation e = evaluate_tracks(one, two, kOverlap);
  EXPECT_EQ(e.switches, 0u);
  EXPECT_EQ(e.false_positives(), 1u);
}

TEST(TrackMetrics, AnIgnoredBoxIsNoMissAndFindingItNoMistake) {
  const Tracks one{{1, {{1, at(0)}, {2, at(100), true}}}, {2, {{1, at(0)}, {2, at(100), true}}}};
  const Tracks two{{1, {{7, at(0)}, {8, at(100)}}}, {2, {{7, at(0)}}}};
  const TrackEvaluation e = evaluate_tracks(one, two, kOverlap);
  EXPECT_EQ(e.boxes, 2u);
  EXPECT_EQ(e.found, 2u);
  EXPECT_DOUBLE_EQ(e.mota(), 1);
  EXPECT_DOUBLE_EQ(e.idf1(), 1);
}

TEST(TrackMetrics, VideosAddUp) {
  TrackEvaluation sum = evaluate_tracks(truth(), found(), kOverlap);
  sum += evaluate_tracks(truth(), truth(), kOverlap);
  EXPECT_EQ(sum.boxes, 20u);
  EXPECT_DOUBLE_EQ(sum.mota(), 1 - 5 / 20.0);
  EXPECT_DOUBLE_EQ(sum.idf1(), 0.8);
}

}  // namespace
}  // namespace tandem
