// SPDX-License-Identifier: LGPL-2.1-or-later
// What another process learnt of the same frames, where these are long and many are under way at
// once: the first ones begin together.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

constexpr unsigned kChips = 200;
// Two of them are, whose training told much more than their choice does; 18 were with two looks
// from the first frame on.
constexpr int kMostTrained = 5;
constexpr int kMostFrames = 1'000'000;
constexpr double kFrame_s = 0.5;  // on one core
constexpr double kSeconds = 20;
constexpr int kMostSeconds = 100;

Chip with_long_frames(Chip chip) {
  const double longer = kFrame_s / chip.core_frame_s(1);
  for (Chip::Stage& stage : chip.stages)
    for (double* s :
         {&stage.core_s, &stage.medium_s, &stage.device_s, &stage.upload_s, &stage.download_s})
      *s *= longer;
  return chip;
}

bool verified(const SimulatedBin& bin) {
  const Learnt* learnt = bin.controller().learnt();
  return learnt && learnt->verified;
}

TEST(Remembered, LongFramesAreNotTrainedAnew) {
  int trained = 0;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    const Chip chip = with_long_frames(random_chip(seed));
    SCOPED_TRACE(chip.name);
    std::optional<Known> known;
    SimulatedBin first(chip, seed, {});
    first.trained(
        [&](const Conditions& about, const Learnt& learnt) { known = known_of(about, learnt, 0); });
    first.frames_changed("frames");
    ASSERT_TRUE(first.run_to_decision(kMostFrames));
    first.run_until(first.simulation().now_s() + kSeconds);
    ASSERT_TRUE(known);
    SimulatedBin second(chip, seed + 1, {});
    second.know({*known});
    second.frames_changed("frames");
    for (int i = 0;
         i < kMostSeconds && !verified(second) && second.controller().totals().trainings == 0; ++i)
      second.run_until(second.simulation().now_s() + 1);
    if (second.controller().totals().trainings == 0) {
      EXPECT_TRUE(verified(second));
      continue;
    }
    ++trained;
    std::printf("%s: %s\n", chip.name.c_str(), to_string(known->chosen->configuration).c_str());
  }
  EXPECT_LE(trained, kMostTrained);
}

}  // namespace
}  // namespace tandem::test
