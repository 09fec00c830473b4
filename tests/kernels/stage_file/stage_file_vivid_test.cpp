// SPDX-License-Identifier: LGPL-2.1-or-later
// ViVid's stage 1 written as a stage file says what ours says.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/kernels/stage_file/stage_file_runner.h"
#include "tests/kernels/vivid/vivid_stage_file.h"

namespace tandem::check {
namespace {

FilterBank random_bank(int count) {
  std::mt19937 random(3);
  FilterBank bank{count, {}};
  for (int i = 0; i < 9 * count; ++i)
    bank.coefficients.push_back(static_cast<float>(random() % 2001) / 1000.0F - 1);
  return bank;
}

// The index is the same; so is the weight on the cores where they have fused multiply-adds.
TEST(VividAsAStageFile, VotesAsOurs) {
  const FilterBank bank = random_bank(30);
  const StageRunner runner(parse_stage_file(vivid_stage_file(bank), "votes.cl"), any_context());
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 3}, {64, 5}, {131, 40}}) {
    const auto luma = random_luma(width, height, 11);
    std::vector<uint8_t> index(luma.size());
    std::vector<float> weight(luma.size());
    vivid_filter_ref({luma.data(), width, height, width}, bank,
                     {index.data(), width, height, width}, {weight.data(), width, height, width},
                     {0, height});
    for (const bool device : {false, true}) {
      if (device && !runner.has_device()) continue;
      SCOPED_TRACE(std::to_string(width) + (device ? " device" : " cores"));
      StageMemory memory = runner.memory(width, height);
      memory.set(memory.index("luma"), luma.data());
      EXPECT_EQ(device ? runner.run_device(memory) : runner.run_host(memory), "");
      EXPECT_EQ(memory.values<uint8_t>("index"), index);
      const auto weights = memory.values<float>("weight");
      for (std::size_t i = 0; i < weight.size(); ++i)
        ASSERT_NEAR(weights[i], weight[i], 1e-5 * std::fmax(1.0F, weight[i])) << i;
    }
  }
}

}  // namespace
}  // namespace tandem::check
