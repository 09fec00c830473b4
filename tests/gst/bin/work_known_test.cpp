// SPDX-License-Identifier: LGPL-2.1-or-later
// What was learnt of one work is never used for another, and is remembered when that comes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/gst/support/work.h"

namespace tandem::test {
namespace {

// A busy machine changes how long frames take: that is no matter here.
std::string adaptive() { return vivid("adapt=caps max-overhead=0.9"); }

struct Work {
  Size size;
  int scales;
  auto operator<=>(const Work& other) const {
    return std::pair(size.width, scales) <=> std::pair(other.size.width, other.scales);
  }
};

/// settle() for frames of this work, of which all are checked.
Told settle_on(Stream& stream, const Work& work, int& next) {
  const auto change = [&] {
    stream.caps(work.size);
    set_scales(stream, work.scales);
  };
  return settle(stream, change, work.size, next, [&](const Result& result) {
    expect_computed_with(work.scales, result, work.size);
  });
}

TEST(WorkKnown, AChangedPropertyCountsLikeACapsChange) {
  Stream stream(adaptive());
  stream.play();
  int next = 0;
  const Told first = settle_on(stream, {kVividSize, 1}, next);
  EXPECT_EQ(first.reason, "caps");
  const Told other = settle_on(stream, {kVividSize, 3}, next);
  EXPECT_EQ(other.reason, "caps");
  EXPECT_GE(other.experiments, 3) << "it is learnt of this work";
  const Told again = settle_on(stream, {kVividSize, 1}, next);
  EXPECT_EQ(again.reason, "remembered");
  EXPECT_EQ(again.after, first.after);
  EXPECT_EQ(again.experiments, 0);
  EXPECT_EQ(stream.stat("frames"), static_cast<uint64_t>(next));
}

TEST(WorkKnown, WhatMayNotTrainGoesOnAndSaysSo) {
  Stream stream(vivid("adapt=caps max-overhead=0.0001"));
  stream.play();
  int next = 0;
  const Told first = settle_on(stream, {kVividSize, 1}, next);
  set_scales(stream, 2);
  push_picture(stream, next, kVividSize);
  expect_computed_with(2, stream.pull(1).at(0));
  ASSERT_EQ(told(stream).size(), 2U);
  EXPECT_EQ(told(stream)[1].reason, "not-allowed");
  EXPECT_EQ(told(stream)[1].after, first.after);
}

TEST(WorkKnown, SizesAndPropertiesGoAndComeBackTogether) {
  const Size small{112, 160};
  const Work works[] = {{kVividSize, 1}, {small, 1},      {small, 2}, {kVividSize, 2}, {small, 1},
                        {kVividSize, 1}, {kVividSize, 2}, {small, 2}, {kVividSize, 1}};
  std::map<Work, std::string> chosen;
  Stream stream(adaptive(), kVividSize);
  stream.play();
  int next = 0;
  for (const Work& work : works) {
    SCOPED_TRACE(caps_text(work.size) + " scales=" + std::to_string(work.scales));
    const Told decision = settle_on(stream, work, next);
    if (chosen.contains(work)) {
      EXPECT_EQ(decision.reason, "remembered");
      EXPECT_EQ(decision.after, chosen[work]);
    } else {
      const bool other_size = std::ranges::any_of(
          chosen, [&](const auto& entry) { return entry.first.scales == work.scales; });
      EXPECT_TRUE(decision.reason == "caps" || (other_size && decision.reason == "derived"))
          << decision.reason;
    }
    if (decision.experiments > 0) chosen[work] = decision.after;
  }
}

TEST(WorkKnown, WhatDoesNotChangeTheWorkIsNoReasonToDecide) {
  Stream stream(
      bin_of("vividfilter name=filter scales=1 ! vividhistogram ! vividclassifier name=classifier",
             "adapt=caps max-overhead=0.9"));
  stream.play();
  run_until(stream, 1);
  std::size_t before = 0, after = 0;
  for (int i = 0; i < 40; ++i) {
    g_object_set(stream.element("classifier"), "threshold", i < 20 ? 0.5 + 0.01 * i : 1.0, nullptr);
    set_scales(stream, 1);  // as it was
    push_picture(stream, i, kVividSize);
    const std::vector<Result> got = stream.pull(1);
    ASSERT_EQ(got.size(), 1U);
    (i < 1 ? before : after) = got[0].boxes.size();
  }
  EXPECT_GT(before, 0U);
  EXPECT_EQ(after, 0U);
  EXPECT_EQ(told(stream).size(), 1U);
  EXPECT_EQ(stream.stat("trainings"), 1U);
}

// Streams of a variable rate state several.
TEST(WorkKnown, AnotherRateIsNoReasonToDecide) {
  Stream stream(adaptive());
  stream.play();
  run_until(stream, 1);
  auto* const source = GST_APP_SRC(stream.element("source"));
  for (int i = 0; i < 20; ++i) {
    std::string text = caps_text(kVividSize);
    text.replace(text.find("25/1"), 4, i % 2 == 0 ? "50/1" : "0/1");
    GstCaps* const caps = gst_caps_from_string(text.c_str());
    gst_app_src_set_caps(source, caps);
    gst_caps_unref(caps);
    push_picture(stream, i, kVividSize);
    ASSERT_EQ(stream.pull(1).size(), 1U);
  }
  EXPECT_EQ(told(stream).size(), 1U);
  EXPECT_EQ(stream.stat("trainings"), 1U);
}

TEST(WorkKnown, IterationsAreWorkOfTheirOwn) {
  Stream stream(srad("adapt=caps max-overhead=0.9 mapping=cccccc"), kSradSize);
  stream.play();
  int next = 0;
  const auto settle_on = [&](int iterations) {
    return settle(
        stream, [&] { set_iterations(stream, iterations); }, kSradSize, next,
        [&](const Result& result) { expect_despeckled(iterations, result); });
  };
  const Told first = settle_on(1);
  EXPECT_EQ(first.reason, "caps");
  EXPECT_EQ(settle_on(20).reason, "caps");
  const Told again = settle_on(1);
  EXPECT_EQ(again.reason, "remembered");
  EXPECT_EQ(again.after, first.after);
}

}  // namespace
}  // namespace tandem::test
