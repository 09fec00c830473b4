// SPDX-License-Identifier: LGPL-2.1-or-later
// Leave one size out: what is derived for frames of a size that nobody trained on, of what is best
// there, before any look.
#include "scheduler/learn/belief/choice.h"
#include "scheduler/learn/keep/derived.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kEvery = 100;
#else
constexpr unsigned kEvery = 20;
#endif
constexpr unsigned kChips = 200;
constexpr int kMostFrames = 1'000'000;
constexpr int kWidths[] = {320, 480, 640, 960, 1280};
constexpr int kHeight = 400, kBaseWidth = 640;

/// The same chip with frames of another width. On the cores time is that of the pixels. On the
/// device a part of each stage and of each copy is the same for any frame: launches and latency.
Chip with_width(Chip chip, int width) {
  constexpr double kFixed = 0.25;
  const double pixels = 1.0 * width / kBaseWidth, device = kFixed + (1 - kFixed) * pixels;
  for (Chip::Stage& stage : chip.stages) {
    stage.core_s *= pixels;
    stage.medium_s *= pixels;
    stage.device_s *= device;
    stage.upload_s *= device;
    stage.download_s *= device;
  }
  return chip;
}

Conditions conditions(int width) { return {"stages", "GRAY8", width, kHeight}; }

Known train(const Chip& chip, int width, unsigned seed) {
  SimulatedBin bin(chip, seed, {Metric::throughput});
  std::optional<Known> known;
  bin.trained(
      [&](const Conditions& about, const Learnt& learnt) { known = known_of(about, learnt, 0); });
  bin.frames_changed(conditions(width));
  EXPECT_TRUE(bin.run_to_decision(kMostFrames));
  EXPECT_TRUE(known) << "nothing to keep";
  return known.value_or(Known{});
}

struct Shares {
  double sum = 0, least = 1;
  int count = 0;
  void add(double share) {
    sum += std::min(1.0, share);
    least = std::min(least, share);
    ++count;
  }
};

void leave_out(const Chip& base, unsigned seed, Shares& all) {
  std::vector<Known> known;
  std::vector<Chip> chips;
  for (const int width : kWidths) {
    chips.push_back(with_width(base, width));
    known.push_back(train(chips.back(), width, seed));
    if (known.back().facts.observations.empty()) return;
  }
  for (std::size_t out = 0; out < std::size(kWidths); ++out) {
    Knowledge others;
    for (std::size_t i = 0; i < known.size(); ++i)
      if (i != out) others[known[i].conditions] = learnt_of(known[i]);
    const auto derived = derive(conditions(kWidths[out]), others, known[out].facts.chain);
    ASSERT_TRUE(derived) << "seed " << seed;
    const Choice choice = choose_derived(*derived, {Metric::throughput}, {});
    ASSERT_GT(choice.count, 0);
    const Exhaustive exhaustive(chips[out], seed);
    const Exhaustive::Entry best = exhaustive.best(Metric::throughput);
    const double share =
        exhaustive.look(choice.best().configuration).throughput_fps / best.steady.throughput_fps;
    if (share < 0.9)
      std::printf("seed %u, %d: %s at %.3f, best %s\n", seed, kWidths[out],
                  to_string(choice.best().configuration).c_str(), share,
                  to_string(best.configuration).c_str());
    all.add(share);
  }
}

TEST(Derive, OneSizeLeftOutOnRandomChips) {
  Shares all;
  for (unsigned seed = 0; seed < kChips; seed += kEvery) leave_out(random_chip(seed), seed, all);
  std::printf("%d derived choices: %.2f%% of the best on average, %.2f%% at least\n", all.count,
              100 * all.sum / all.count, 100 * all.least);
  EXPECT_GE(all.sum / all.count, 0.98);
  EXPECT_GE(all.least, 0.78);
}

}  // namespace
}  // namespace tandem::test
