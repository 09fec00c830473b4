// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/next_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace tandem {
namespace {

constexpr int kNumbers[] = {2, 4, 8};

using Lanes = std::vector<int>;

// The numbers of lanes that are measured, in order. `gains`: of each number over one; a device
// takes no frame with the others.
Lanes measured(const std::map<int, double>& gains) {
  std::array<LaneFactor, kMaxLanes> factors{{{1, 1}}};
  Lanes made;
  for (;;) {
    const auto next = next_lanes(
        kNumbers, factors, [&](int lanes) { return std::ranges::find(made, lanes) != made.end(); });
    if (!next) return made;
    made.push_back(*next);
    if (gains.contains(*next))
      factors[static_cast<std::size_t>(*next) - 1].seconds = 1 / gains.at(*next);
  }
}

TEST(NextLanesTest, TwiceAsManyUntilThatGainsLittle) {
  EXPECT_EQ(measured({{2, 1.02}, {4, 1.5}, {8, 2}}), (Lanes{2}));
  EXPECT_EQ(measured({{2, 1.8}, {4, 1.82}, {8, 2}}), (Lanes{2, 4}));
  EXPECT_EQ(measured({{2, 1.8}, {4, 3}, {8, 3.1}}), (Lanes{2, 4, 8}));
}

TEST(NextLanesTest, ADeviceThatTakesNoFrameEndsIt) {
  EXPECT_EQ(measured({{2, 1.8}}), (Lanes{2, 4}));
  EXPECT_EQ(measured({}), (Lanes{2}));
}

}  // namespace
}  // namespace tandem
