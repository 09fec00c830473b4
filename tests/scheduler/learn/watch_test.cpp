// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/watch.h"

#include <gtest/gtest.h>

#include "model/measurements.h"
#include "scheduler/learn/run/budget.h"

namespace tandem {
namespace {

constexpr uint64_t kMs = 1'000'000, kSecond = 1000 * kMs;

class WatchTest : public testing::Test {
 protected:
  // A frame every 10 ms.
  FrameTimes frame(uint64_t service_ms, bool starved = false) {
    FrameTimes times;
    times.configuration.mapping.stages = 1;
    times.stage_ns[0] = service_ms * kMs;
    times.begin_ns = now_ns_ += 10 * kMs;
    times.end_ns = times.begin_ns + service_ms * kMs;
    times.starved = starved;
    return times;
  }
  // How many frames until there is news of this kind; 0: none in a minute.
  int frames_to(Watch::News news, uint64_t service_ms, uint32_t device_stages = 0,
                bool starved = false) {
    for (int i = 1; i <= 6000; ++i)
      if (watch_.frame_done(frame(service_ms, starved), device_stages) == news) return i;
    return 0;
  }

  Watch watch_;
  uint64_t now_ns_ = kSecond;
};

TEST_F(WatchTest, ALastingChangeIsDrift) {
  EXPECT_EQ(frames_to(Watch::News::drift, 8), 0);
  const int frames = frames_to(Watch::News::drift, 16);
  EXPECT_GT(frames, 5 * 8) << "for longer than a few samples";
  EXPECT_LT(frames, 5 * 40);
  watch_.begin_anew();
  EXPECT_EQ(frames_to(Watch::News::drift, 16), 0) << "it is what is usual now";
}

TEST_F(WatchTest, AThreadThatLosesItsCoreShowsInFewShortFrames) {
  const auto frames_to_drift = [&](int slow_of_100) {
    for (int i = 1; i <= 100'000; ++i) {
      FrameTimes times = frame(0);
      now_ns_ -= 10 * kMs - kMs / 20;
      times.begin_ns = now_ns_;
      times.stage_ns[0] = i % 100 < slow_of_100 ? 4 * kMs : kMs / 2;
      times.end_ns = times.begin_ns + times.stage_ns[0];
      if (watch_.frame_done(times, 0) == Watch::News::drift) return i;
    }
    return 0;
  };
  EXPECT_EQ(frames_to_drift(0), 0);
  EXPECT_GT(frames_to_drift(20), 0) << "others get half of the cores";
  EXPECT_NEAR(watch_.change().cores, 2.4, 0.3);
}

TEST_F(WatchTest, EachPathHasTimesOfItsOwn) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_NE(watch_.frame_done(frame(8), 0), Watch::News::drift);
    EXPECT_NE(watch_.frame_done(frame(1), 7), Watch::News::drift);
  }
  EXPECT_GT(frames_to(Watch::News::drift, 2, 7), 0);
}

TEST_F(WatchTest, EachSideOfAFrameHasTimesOfItsOwn) {
  const auto frames_to_drift = [&](uint64_t cores_ms, uint64_t device_ms) {
    for (int i = 1; i <= 1000; ++i) {
      FrameTimes times = frame(0);
      times.configuration.mapping.stages = 2;
      times.stage_ns = {cores_ms * kMs, device_ms * kMs};
      times.end_ns = times.begin_ns + (cores_ms + device_ms) * kMs;
      if (watch_.frame_done(times, 2) == Watch::News::drift) return i;
    }
    return 0;
  };
  EXPECT_EQ(frames_to_drift(2, 20), 0);
  EXPECT_GT(frames_to_drift(4, 20), 0) << "of 22 ms in all";
  EXPECT_NEAR(watch_.change().cores, 2, 0.01);
  EXPECT_EQ(watch_.change().device, 1);
}

// On the device, a frame's time and the time from one to the next, in ms.
class LanesWatchTest : public WatchTest {
 protected:
  bool drifts(int lanes, uint64_t service_ms, uint64_t apart_ms) {
    for (int i = 1; i <= 2000; ++i) {
      FrameTimes times = frame(service_ms);
      times.configuration.lanes = lanes;
      times.begin_ns = last_ns_ += apart_ms * kMs;
      times.end_ns = times.begin_ns + service_ms * kMs;
      if (watch_.frame_done(times, 1) == Watch::News::drift) return true;
    }
    return false;
  }

  uint64_t last_ns_ = kSecond;
};

TEST_F(LanesWatchTest, FramesThatWaitForEachOtherInLanesAreNoDrift) {
  EXPECT_FALSE(drifts(4, 40, 10));
  EXPECT_FALSE(drifts(4, 20, 10)) << "fewer are under way";
  EXPECT_FALSE(drifts(4, 40, 10)) << "more are";
  EXPECT_FALSE(drifts(4, 20, 14)) << "a slower source brings fewer";
}

TEST_F(LanesWatchTest, ADeviceThatIsSlowerHasAsManyFramesUnderWay) {
  EXPECT_FALSE(drifts(4, 40, 10));
  EXPECT_TRUE(drifts(4, 80, 20));
  EXPECT_NEAR(watch_.change().device, 2, 0.01);
}

TEST_F(LanesWatchTest, ADeviceThatBecomesTheSlowerSideFillsItsLanesToo) {
  EXPECT_FALSE(drifts(4, 40, 10));
  EXPECT_TRUE(drifts(4, 160, 15));
}

TEST_F(LanesWatchTest, OneLaneTellsByItself) {
  EXPECT_FALSE(drifts(1, 40, 50));
  EXPECT_TRUE(drifts(1, 20, 50)) << "the cores need the rest of the time";
}

TEST_F(WatchTest, AStarvedSourceIsNoDriftAndItsEndIsNews) {
  EXPECT_EQ(frames_to(Watch::News::drift, 8), 0);
  EXPECT_EQ(frames_to(Watch::News::drift, 2, 0, true), 0);
  EXPECT_EQ(frames_to(Watch::News::busy, 8), 64);
  EXPECT_EQ(frames_to(Watch::News::busy, 8), 0) << "it is said once";
}

class BudgetTest : public testing::Test {
 protected:
  void pass(int frames, bool training, uint64_t held_ms = 0) {
    for (int i = 0; i < frames; ++i) {
      FrameTimes times;
      times.begin_ns = now_ns_;
      times.end_ns = now_ns_ += 10 * kMs;
      times.held_ns = held_ms * kMs;
      budget_.frame_done(times, training);
    }
  }

  Budget budget_;
  uint64_t now_ns_ = kSecond;
};

TEST_F(BudgetTest, TheFirstTrainingIsFreeAndTheNextWaits) {
  EXPECT_FALSE(budget_.allows_training(0));
  EXPECT_TRUE(budget_.allows_training(0.05));
  budget_.begin_training();
  pass(100, true);
  EXPECT_EQ(budget_.spent().frames, 100);
  EXPECT_NEAR(budget_.spent().seconds, 1, 1e-9);
  EXPECT_NEAR(budget_.end_training(200), 0.5, 1e-9) << "100 frames take 0.5 s at that rate";
  EXPECT_FALSE(budget_.allows_training(0.05));
  // The penalty of both is 1 s: a twentieth of 20 s.
  pass(1840, false);
  EXPECT_FALSE(budget_.allows_training(0.05));
  pass(120, false);
  EXPECT_TRUE(budget_.allows_training(0.05));
}

TEST_F(BudgetTest, ATrainingThatLedToNothingIsLostWhole) {
  budget_.begin_training();
  pass(50, true);
  EXPECT_NEAR(budget_.end_training(kUnknown), 0.5, 1e-9);
  EXPECT_EQ(budget_.totals().trainings, 1);
  budget_.take_back();
  EXPECT_TRUE(budget_.allows_training(0.05)) << "it was not this stream's own fault";
}

TEST_F(BudgetTest, TimeInWhichTheSinkHoldsFramesIsNotLost) {
  budget_.begin_training();
  pass(100, true, 9);
  EXPECT_NEAR(budget_.spent().seconds, 0.1, 1e-9);
}

}  // namespace
}  // namespace tandem
