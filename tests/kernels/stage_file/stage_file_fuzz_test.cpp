// SPDX-License-Identifier: LGPL-2.1-or-later
// Damaged and hostile stage files: each is refused with a line, or becomes code for both sides.
#include <gtest/gtest.h>

#include "kernels/stage_file/codegen/codegen.h"
#include "kernels/stage_file/codegen/stage_plan.h"
#include "tests/support/text_mutator.h"

namespace tandem::test {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> all = texts_in(std::getenv("TANDEM_STAGES"), ".cl");
  std::ranges::move(texts_in(std::getenv("TANDEM_CORPUS"), ".cl"), std::back_inserter(all));
  return all;
}

// Whether it is a stage file. What is wrong with others has a line.
bool is_taken(const std::string& text) {
  try {
    const StageFile file = parse_stage_file(text, "own.cl");
    const StagePlan plan = plan_stage(file);
    for (const StageTensor& tensor : plan.tensors)
      EXPECT_LE(elements_of(tensor.shape), kMostTensorElements);
    EXPECT_FALSE(generate_c(file, plan).empty());
    EXPECT_FALSE(generate_opencl(file, plan).empty());
    const std::string again = write_stage_file(file);
    EXPECT_EQ(write_stage_file(parse_stage_file(again, "own.cl")), again);
    return true;
  } catch (const StageFileError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("own.cl:")) << error.what();
    return false;
  }
}

TEST(StageFileFuzz, TheCorpusDoesNoHarm) {
  const auto texts = corpus();
  ASSERT_GE(texts.size(), 10U);
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    (void)is_taken(text);
  }
}

TEST(StageFileFuzz, NothingThatIsReadDoesHarm) {
  TextMutator mutator(corpus(),
                      {"0",       "1",          "-1",         "65536",       "1048576",
                       "1048577", "2147483647", "2147483648", "-2147483648", "18446744073709551616",
                       "1e308",   "nan",        "inf",        "1..0",        "luma",
                       "cb",      "shape",      "halo",       "kept",        "private",
                       "LOOP",    "REDUCE",     "MAP",        "COMBINE",     "CPU",
                       "ONLY",    "float32",    "settle",     "size"},
                      20261128);
  int taken = 0, all = 0;
  for (const auto end = fuzz_end(); std::chrono::steady_clock::now() < end; ++all) {
    const std::string text = mutator.make();
    SCOPED_TRACE(text);
    taken += is_taken(text) ? 1 : 0;
    if (HasFailure()) break;
  }
  EXPECT_GT(taken, all / 50) << "of " << all << ": the parser was the only thing that was tested";
}

}  // namespace
}  // namespace tandem::test
