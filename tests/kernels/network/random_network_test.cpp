// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/network/random_network.h"

#include <cmath>

#include "tests/kernels/support/implementation.h"

namespace tandem::check {
namespace {

void expect_finite(const RandomCase& made) {
  for (const Elements& output : reference_outputs(*made.network, made.inputs))
    for (std::size_t i = 0; i < output.size(); ++i)
      ASSERT_TRUE(std::isfinite(output[i])) << describe(*made.network);
}

TEST(RandomNetwork, StepsHaveFiniteResults) {
  std::mt19937 random = generator(1);
  for (std::size_t o = 0; o < std::variant_size_v<network::Operation>; ++o)
    for (int i = 0; i < repetitions(100); ++i) expect_finite(random_step(random, o));
}

TEST(RandomNetwork, NetworksHaveFiniteResults) {
  std::mt19937 random = generator(2);
  for (int i = 0; i < repetitions(50); ++i) expect_finite(random_network(random, 8));
}

TEST(RandomNetwork, ADifferenceIsFound) {
  std::mt19937 random = generator(3);
  const RandomCase made = random_network(random, 4);
  const auto expected = reference_outputs(*made.network, made.inputs);
  auto found = reference_outputs(*made.network, made.inputs);
  EXPECT_TRUE(close_to(*made.network, expected, found));
  found[0][0] += 1 + std::abs(found[0][0]);
  EXPECT_FALSE(close_to(*made.network, expected, found, 1e-4f));
  EXPECT_FALSE(close_to(*made.network, expected, room_for_outputs(*made.network)));
}

}  // namespace
}  // namespace tandem::check
