// SPDX-License-Identifier: LGPL-2.1-or-later
// Damaged and hostile loops: each is refused with a reason, or becomes a stage.
#include <gtest/gtest.h>

#include "pipelines/generate/generate.h"
#include "tests/support/text_mutator.h"

namespace tandem::generate {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> all;
  for (const char* const folder : {"TANDEM_CORNERS", "TANDEM_CORPUS"})
    std::ranges::move(test::texts_in(std::getenv(folder), ".c"), std::back_inserter(all));
  return all;
}

bool is_taken(const std::string& text) {
  try {
    const GenerateOptions options{.values = {{"n", 64}, {"m", 3}, {"w", 30}, {"h", 20}}};
    return !generate_stage(text, "own.c", options).text.empty();
  } catch (const std::runtime_error& refused) {  // others are faults of ours
    const std::string_view said = refused.what();
    EXPECT_TRUE(said.find("own.c:") != said.npos && said.size() > 20) << said;
  }
  return false;
}

TEST(GenerateFuzz, TheCorpusDoesNoHarm) {
  const auto texts = test::texts_in(std::getenv("TANDEM_CORPUS"), ".c");
  ASSERT_GE(texts.size(), 3U);
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    (void)is_taken(text);
  }
}

TEST(GenerateFuzz, NothingThatIsReadDoesHarm) {
  test::TextMutator mutator(
      corpus(), {"0",        "-1",        "2147483647", "4294967296", "9223372036854775807",
                 "i",        "n",         "w",          "h",          "x",
                 "in",       "out",       "sum",        "float",      "int",
                 "const",    "static",    "if",         "continue",   "break",
                 "restrict", "reduction", "collapse",   "private",    "omp",
                 "sizeof",   "return",    "long",       "a",          "b"},
      20261128);
  int taken = 0, all = 0;
  for (const auto end = test::fuzz_end(); std::chrono::steady_clock::now() < end; ++all) {
    const std::string text = mutator.make();
    SCOPED_TRACE(text);
    taken += is_taken(text) ? 1 : 0;
    if (HasFailure()) break;
  }
  EXPECT_GT(taken + 3, all / 50) << "of " << all;
}

}  // namespace
}  // namespace tandem::generate
