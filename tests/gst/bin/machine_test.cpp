// SPDX-License-Identifier: LGPL-2.1-or-later
// Bins of one process, through GStreamer.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "tests/gst/support/fed_bin.h"

namespace tandem::test {
namespace {

constexpr Size kSize{96, 96};

/// Feeds all of them side by side until each has decided; returns how many trainings that took.
int trainings_of(const std::vector<std::string>& chains) {
  const std::vector<GstBuffer*> frames = make_frames(kSize);
  std::vector<std::unique_ptr<FedBin>> bins;
  for (const std::string& stages : chains) {
    // Of one core the part is one: on a busy machine sources seem slow, and parts change.
    bins.push_back(std::make_unique<FedBin>(FedBin::Options{"auto", 1, 0.5}, stages, "caps"));
    bins.back()->force("ccc");
    bins.back()->begin(kSize);
  }
  std::atomic<bool> stop{false};
  std::vector<std::thread> feeders;
  for (auto& bin : bins) {
    feeders.emplace_back([&, one = bin.get()] {
      while (!stop) one->feed(frames);
    });
  }
  const auto decided = [](const auto& bin) {
    const Stats stats = bin->stats();
    return stats.predicted && !stats.training;
  };
  for (int i = 0; i < 18000 && !std::ranges::all_of(bins, decided); ++i) g_usleep(10000);
  EXPECT_TRUE(std::ranges::all_of(bins, decided));
  stop = true;
  for (std::thread& feeder : feeders) feeder.join();
  int trainings = 0;
  for (const auto& bin : bins) trainings += bin->stats().trainings;
  bins.clear();
  for (GstBuffer* frame : frames) gst_buffer_unref(frame);
  return trainings;
}

std::string vivid(int scales) {
  return "vividfilter scales=" + std::to_string(scales) + " ! vividhistogram ! vividclassifier";
}

TEST(Machine, BinsOfTheSameWorkLearnOnce) {
  EXPECT_EQ(trainings_of({vivid(1), vivid(1), vivid(1)}), 1);
}

TEST(Machine, WhatIsLearntOfOtherPropertiesIsNotTakenOver) {
  EXPECT_EQ(trainings_of({vivid(1), vivid(2)}), 2);
}

}  // namespace
}  // namespace tandem::test
