// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

Chain of_cores(int cores) {
  Chain chain;
  chain.stages = 2;
  chain.cores = cores;
  chain.device_capable = 3;
  chain.lanes = {2, 4};
  return chain;
}

Configuration coupled(int threads, int lanes = 1, Granularity granularity = Granularity::coarse) {
  return {{1, 2}, granularity, threads, lanes};
}

Trial tried(const Configuration& configuration, double fps, double expected_fps = 0) {
  Trial trial{configuration, {}, {}};
  trial.measured.throughput_fps = fps;
  trial.predicted.throughput_fps = expected_fps > 0 ? expected_fps : fps;
  return trial;
}

/// All that is tried beside the best, if none of it is better.
std::vector<std::string> beside(std::vector<Trial> trials, int cores) {
  const Choice choice = ranked(trials);
  std::vector<std::string> others;
  while (const auto other = beside_the_best(choice, trials, of_cores(cores), 0.03)) {
    others.push_back(to_string(*other));
    trials.push_back(tried(*other, 10));
    if (others.size() > 20) break;
  }
  return others;
}

TEST(NextThreadsTest, WithFewCoresTheNeighboursOfTheBestAreTried) {
  const std::vector<std::string> all{"gc/cg2", "gc/cg4", "gc/mg", "gc/cg3/q2", "gc/cg3/q4"};
  EXPECT_EQ(beside({tried(coupled(3), 100)}, 4), all);
  EXPECT_TRUE(beside({tried(coupled(3), 100)}, 16).empty());
}

TEST(NextThreadsTest, WithManyCoresAsManyThreadsAreTriedInPlaceOfOneMore) {
  const std::vector<std::string> one{"gc/cg16/q4"};
  EXPECT_EQ(beside({tried(coupled(17, 4), 100)}, 16), one);
  EXPECT_EQ(beside({tried(coupled(17, 4), 100), tried(coupled(16, 2), 90)}, 16), one);
  EXPECT_TRUE(beside({tried(coupled(17, 4), 100), tried(coupled(16, 4), 90)}, 16).empty());
  EXPECT_TRUE(beside({tried(coupled(16, 4), 100)}, 16).empty());
  EXPECT_TRUE(beside({tried(coupled(17, 4, Granularity::medium), 100)}, 16).empty());
  EXPECT_TRUE(beside({tried({{3, 2}, Granularity::coarse, 17}, 100)}, 16).empty())
      << "cores compute whole frames there, and other numbers of them are tried";
}

TEST(NextThreadsTest, OtherLanesOfNearEqualsAreTried) {
  const Configuration medium = coupled(5, 4, Granularity::medium);
  const std::vector<std::string> near = beside({tried(coupled(3, 4), 100), tried(medium, 98)}, 4);
  EXPECT_NE(std::ranges::find(near, "gc/mg/q2"), near.end());
  const std::vector<std::string> far = beside({tried(coupled(3, 4), 100), tried(medium, 90)}, 4);
  EXPECT_EQ(std::ranges::find(far, "gc/mg/q2"), far.end());
}

TEST(NextThreadsTest, NumbersOfThreadsThatCollapsedAreCountedOnce) {
  std::vector<Trial> trials{tried(coupled(16), 30, 100), tried(coupled(16, 2), 30, 100),
                            tried(coupled(8), 50, 100), tried(coupled(4), 90, 100),
                            tried({{3, 2}, Granularity::coarse, 4}, 30, 100)};
  EXPECT_EQ(collapses(trials, coupled(2)), 2);
  trials.push_back(tried(coupled(7, 4), 50, 100));
  EXPECT_EQ(collapses(trials, coupled(2)), 2) << "its lanes may be what hinders it";
  EXPECT_EQ(collapses(trials, coupled(2, 4)), 3);
}

/// All that is tried as another driver of the device, if none of it is better.
std::vector<std::string> drivers(std::vector<Trial> trials, int cores) {
  const Choice choice = ranked(trials);
  std::vector<std::string> others;
  while (const auto other = another_driver(choice, trials, of_cores(cores))) {
    others.push_back(to_string(*other));
    trials.push_back(tried(*other, 1));
    if (others.size() > 20) break;
  }
  return others;
}

TEST(NextThreadsTest, ADeviceThatIsBestAloneIsTriedWithAnotherDriver) {
  const Trial alone = tried(on_device(1, 4), 1000);
  EXPECT_EQ(drivers({alone}, 16), (std::vector<std::string>{"gg/cg2/q4", "gg/mg/q4"}));
  EXPECT_TRUE(drivers({alone}, 8).empty());
  EXPECT_TRUE(drivers({tried(on_device(2, 4), 1000)}, 16).empty());
  EXPECT_TRUE(drivers({tried(coupled(1, 4), 1000)}, 16).empty());
}

TEST(NextThreadsTest, ADriverThatWasInTheWayWithOtherLanesIsNotTried) {
  const std::vector<Trial> lanes{tried(on_device(1, 4), 1000), tried(on_device(1, 2), 900)};
  std::vector<Trial> slower = lanes, equal = lanes;
  slower.push_back(tried(on_device(2, 2), 700));
  equal.push_back(tried(on_device(2, 2), 890));
  EXPECT_EQ(drivers(slower, 16), std::vector<std::string>{"gg/mg/q4"});
  EXPECT_EQ(drivers(equal, 16), (std::vector<std::string>{"gg/cg2/q4", "gg/mg/q4"}));
}

}  // namespace
}  // namespace tandem
