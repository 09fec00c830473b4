// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/track/tracker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace tandem {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TrackerSettings at_once() {
  TrackerSettings settings;
  settings.min_hits = 1;
  return settings;
}

FoundObject person_at(double x, double y = 100) { return {{x, y, 40, 100}, 0.9, 0}; }

std::vector<TrackedObject> next(ObjectTracker& tracker, const std::vector<FoundObject>& found,
                                bool detected = true,
                                const std::vector<FeatureMotion>& motion = {}) {
  const auto objects = tracker.advance(found, detected, motion, 0);
  return {objects.begin(), objects.end()};
}

TEST(Tracker, AnObjectKeepsItsIdAsItMoves) {
  ObjectTracker tracker(at_once());
  for (int frame = 0; frame < 50; ++frame) {
    const auto objects = next(tracker, {person_at(10 + 8 * frame)});
    ASSERT_EQ(objects.size(), 1u);
    EXPECT_EQ(objects[0].id, 1u);
    EXPECT_EQ(objects[0].detection, 0);
    EXPECT_EQ(objects[0].age, frame);
    EXPECT_EQ(objects[0].box.x, 10 + 8 * frame);
  }
}

// They meet in frame 30 and go on. Where an object is expected where it was, they swap.
TEST(Tracker, PeopleWhoPassEachOtherKeepTheirIds) {
  ObjectTracker tracker(at_once());
  for (int frame = 0; frame < 60; ++frame) {
    const double left = 100 + 6 * frame, right = 460 - 6 * frame;
    const auto objects = next(tracker, {person_at(left), person_at(right, 110)});
    ASSERT_EQ(objects.size(), 2u);
    EXPECT_EQ(objects[0].id, 1u);
    EXPECT_EQ(objects[0].box.x, left) << frame;
    EXPECT_EQ(objects[1].box.x, right) << frame;
  }
}

TEST(Tracker, ReportsAnObjectOnceItWasDetectedOftenEnough) {
  TrackerSettings settings;
  settings.min_hits = 3;
  ObjectTracker tracker(settings);
  EXPECT_EQ(next(tracker, {person_at(10)}).size(), 0u);
  EXPECT_EQ(next(tracker, {person_at(10)}).size(), 0u);
  EXPECT_EQ(next(tracker, {person_at(10)}).size(), 1u);
}

TEST(Tracker, AnObjectThatComesBackWithinMaxAgeKeepsItsId) {
  for (const int away : {5, 6}) {
    TrackerSettings settings = at_once();
    settings.max_age = 5;
    settings.coast = 0;
    ObjectTracker tracker(settings);
    for (int frame = 0; frame < 10; ++frame) next(tracker, {person_at(50)});
    for (int frame = 0; frame < away; ++frame) EXPECT_EQ(next(tracker, {}).size(), 0u);
    const auto objects = next(tracker, {person_at(50)});
    ASSERT_EQ(objects.size(), 1u);
    EXPECT_EQ(objects[0].id, away <= 5 ? 1u : 2u) << away;
  }
}

TEST(Tracker, ReportsWhereAnObjectShouldBeForSoManyFrames) {
  TrackerSettings settings = at_once();
  settings.coast = 3;
  ObjectTracker tracker(settings);
  for (int frame = 0; frame < 20; ++frame) next(tracker, {person_at(100 + 4 * frame)});
  for (int unseen = 1; unseen <= 3; ++unseen) {
    const auto objects = next(tracker, {});
    ASSERT_EQ(objects.size(), 1u);
    EXPECT_EQ(objects[0].detection, -1);
    EXPECT_EQ(objects[0].unseen, unseen);
    EXPECT_NEAR(objects[0].box.x, 176 + 4 * unseen, 2);
  }
  EXPECT_EQ(next(tracker, {}).size(), 0u);
}

TEST(Tracker, ReportsObjectsOnFramesThatNoDetectorWorkedOn) {
  ObjectTracker tracker(at_once());
  for (int frame = 0; frame < 40; ++frame) {
    const bool detected = frame % 5 == 0;
    const auto objects = next(
        tracker, detected ? std::vector{person_at(100 + 4 * frame)} : std::vector<FoundObject>{},
        detected);
    ASSERT_EQ(objects.size(), 1u) << frame;
    EXPECT_EQ(objects[0].id, 1u);
    if (frame > 10) {
      EXPECT_NEAR(objects[0].box.x, 100 + 4 * frame, 4) << frame;
    }
  }
}

// The object turns round after it was last detected; its features say so.
// Detection on each fifth frame: an object is reported from its second detection on.
TEST(Tracker, FramesThatTheDetectorLeavesOutCountAsTheOneBefore) {
  TrackerSettings settings;
  settings.min_hits = 6;
  settings.max_age = 3;
  ObjectTracker tracker(settings);
  for (int frame = 0; frame < 20; ++frame) {
    const bool detected = frame % 5 == 0;
    const auto objects =
        detected ? next(tracker, {person_at(100)}) : next(tracker, {}, /*detected=*/false);
    EXPECT_EQ(objects.size(), frame >= 5 ? 1u : 0u) << frame;
  }
  EXPECT_TRUE(next(tracker, {}).empty());
  for (int frame = 1; frame < 5; ++frame) next(tracker, {}, /*detected=*/false);
  EXPECT_TRUE(next(tracker, {person_at(300)}).empty()) << "the one at 100 was forgotten";
}

TEST(Tracker, FeaturesCarryABoxWhereItsRateWouldNot) {
  ObjectTracker tracker(at_once());
  for (int frame = 0; frame < 20; ++frame) next(tracker, {person_at(100 + 4 * frame)});
  double x = 176;
  for (int frame = 0; frame < 10; ++frame) {
    std::vector<FeatureMotion> motion;
    x -= 4;
    for (int f = 0; f < 9; ++f) motion.push_back({x + 4 + 4 * f, 120.0 + 5 * f, -4, 0});
    motion.push_back({500, 120, 30, 30});  // of something else
    const auto objects = next(tracker, {}, false, motion);
    ASSERT_EQ(objects.size(), 1u);
    EXPECT_NEAR(objects[0].box.x, x, 8) << frame;
  }
}

TEST(Tracker, ObjectsOfDifferentLabelsAreDifferentObjects) {
  ObjectTracker tracker(at_once());
  FoundObject found = person_at(10);
  next(tracker, {found});
  found.label = 7;
  EXPECT_EQ(next(tracker, {found})[0].id, 2u);
}

TEST(Tracker, IdsGoOnAfterARestart) {
  ObjectTracker tracker(at_once());
  next(tracker, {person_at(10), person_at(200)});
  tracker.restart();
  EXPECT_EQ(next(tracker, {person_at(10)})[0].id, 3u);
}

TEST(Tracker, IgnoresBoxesThatAreNone) {
  ObjectTracker tracker(at_once());
  const double infinite = std::numeric_limits<double>::infinity();
  for (int frame = 0; frame < 3; ++frame) {
    const auto objects = next(tracker,
                              {{{kNaN, 0, 1, 1}, 1, 0},
                               {{0, 0, infinite, 1}, 1, 0},
                               {{0, 0, 0, 5}, 1, 0},
                               {{0, 0, -5, 5}, 1, 0},
                               {{0, 0, 5, 5}, kNaN, 0},
                               person_at(10)},
                              true, {{kNaN, kNaN, kNaN, kNaN}, {infinite, 0, infinite, 0}});
    ASSERT_EQ(objects.size(), 1u);
    EXPECT_EQ(objects[0].detection, 5);
    EXPECT_TRUE(std::isfinite(objects[0].box.x));
  }
}

TEST(Tracker, UsesTheMostConfidentOfTooMany) {
  ObjectTracker tracker(at_once());
  std::vector<FoundObject> found;
  for (int i = 0; i < 10'000; ++i) found.push_back({{double(i % 100), 0, 50, 50}, i * 1e-4, 0});
  for (int frame = 0; frame < 3; ++frame) {
    const auto objects = next(tracker, found);
    EXPECT_LE(objects.size(), std::size_t{ObjectTracker::kMostObjects});
    for (const TrackedObject& o : objects) EXPECT_GE(o.confidence, 0.95);
  }
}

// As many new objects in each frame as are used, none of which comes back.
TEST(Tracker, ForgetsThoseUnseenForLongestOfTooMany) {
  TrackerSettings settings = at_once();
  settings.max_age = settings.coast = 100'000;
  ObjectTracker tracker(settings);
  constexpr int kMost = ObjectTracker::kMostObjects;
  for (int frame = 0; frame < 20; ++frame) {
    std::vector<FoundObject> found;
    for (int i = 0; i < kMost; ++i) found.push_back({{100.0 * i, 1000.0 * frame, 50, 50}, 1, 0});
    const auto objects = next(tracker, found);
    EXPECT_EQ(objects.size(), std::min<std::size_t>(kMost * (frame + 1), ObjectTracker::kMostKept));
    for (const TrackedObject& o : objects) EXPECT_LE(o.unseen, 1);
  }
}

}  // namespace
}  // namespace tandem
