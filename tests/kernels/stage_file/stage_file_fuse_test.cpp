// SPDX-License-Identifier: LGPL-2.1-or-later
// Which stage files are one loop, and what it stores.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/stage_file/codegen/fuse.h"

namespace tandem {
namespace {

constexpr char kLevel[] =
    "//!STAGE level\n//!PARAM gain float 1 0..9\n"
    "constant float k[2] = {1, 2};\nfloat of(float v) { return k[1] * v; }\n"
    "//!READ luma\n//!WRITE level float32\n//!MAP\nlevel = of(luma(0, 0)) * gain;\n";
constexpr char kAgain[] =
    "//!STAGE anew\n//!PARAM gain float 1 0..9\n"
    "constant float k[3] = {1, 2, 3};\nfloat of(float v) { return k[2] + v; }\n"
    "//!READ from float32 from=level\n//!WRITE to float32 as=level\n//!MAP\n"
    "to = of(from(0, 0)) * gain;\n";
constexpr char kCut[] =
    "//!STAGE cut\n//!READ level float32\n//!WRITE luma\n//!WRITE mask uint8\n//!MAP\n"
    "luma = level(0, 0);\nmask = luma > 3;\n";

std::optional<FusedFiles> fuse(const std::vector<std::string>& texts, FusedReaders readers = {}) {
  std::vector<StageFile> files;
  for (const std::string& text : texts) files.push_back(parse_stage_file(text, "test.cl"));
  std::vector<const StageFile*> all;
  for (const StageFile& file : files) all.push_back(&file);
  if (!readers.is_read) readers.is_read = [](const std::string&) { return false; };
  return fuse_stage_files(all, readers);
}

/// What a pass stores: tensors, and `luma`.
std::vector<std::string> stored(const FusedFiles& fused) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fused.plan.tensors.size(); ++i) {
    const StageTensor& tensor = fused.plan.tensors[i];
    if (tensor.role == StageTensor::Role::kOutput)
      names.push_back(tensor.tensor + " of " + std::to_string(fused.origins[i].file));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(FusedFiles, AreOneLoop) {
  const auto fused = fuse({kLevel, kAgain, kCut});
  ASSERT_TRUE(fused);
  ASSERT_EQ(fused->plan.steps.size(), 1U);
  EXPECT_EQ(fused->plan.steps[0].parts.size(), 3U);
  EXPECT_EQ(fused->file.parameters.size(), 2U);
}

// What the next file reads or makes anew is not stored; the rest is, read or not.
TEST(FusedFiles, StoreWhatIsWanted) {
  EXPECT_EQ(stored(*fuse({kLevel, kAgain})), (Names{"level of 1"}));
  EXPECT_EQ(stored(*fuse({kLevel, kAgain, kCut})), (Names{"luma of 2", "mask of 2"}));
  FusedReaders readers{.is_read = [](const std::string& tensor) { return tensor == "level"; }};
  EXPECT_EQ(stored(*fuse({kLevel, kAgain, kCut}, readers)),
            (Names{"level of 1", "luma of 2", "mask of 2"}));
  readers.keeps_all = true;
  EXPECT_EQ(stored(*fuse({kLevel, kAgain, kCut}, readers)),
            (Names{"level of 0", "level of 1", "luma of 2", "mask of 2"}));
}

TEST(FusedFiles, StoreLumaOnce) {
  const std::string bright =
      "//!STAGE b\n//!READ luma\n//!WRITE luma\n//!MAP\nluma = luma(0, 0) / 2;\n";
  const auto fused = fuse({bright, bright, kLevel});
  ASSERT_TRUE(fused);
  EXPECT_EQ(stored(*fused), (Names{"luma of 1", "level of 2"}));
  ASSERT_GE(fused->luma, 0);
  EXPECT_EQ(fused->plan.tensors[static_cast<std::size_t>(fused->luma)].tensor, "luma");
}

// Behind luma that the frame got, a stage may be computed again alone: what it reads is there.
TEST(FusedFiles, StoreWhatMayBeComputedAgainIsMadeOf) {
  const std::string both =
      "//!STAGE both\n//!READ level float32\n//!READ luma\n//!WRITE mix float32\n//!MAP\n"
      "mix = level(0, 0) + luma(0, 0);\n";
  const std::string bright =
      "//!STAGE b\n//!READ luma\n//!WRITE luma\n//!MAP\nluma = luma(0, 0) / 2;\n";
  EXPECT_EQ(stored(*fuse({kLevel, bright, both})), (Names{"level of 0", "luma of 1", "mix of 2"}));
  EXPECT_EQ(stored(*fuse({bright, kLevel, both})), (Names{"luma of 0", "mix of 2"}));
}

TEST(FusedFiles, EveryTensorHasAPlaceInItsOwnPlan) {
  const Names texts{kLevel, kAgain, kCut};
  const auto fused = fuse(texts, {.keeps_all = true});
  ASSERT_TRUE(fused);
  ASSERT_EQ(fused->origins.size(), fused->plan.tensors.size());
  for (std::size_t i = 0; i < fused->origins.size(); ++i) {
    const StagePlan own = plan_stage(parse_stage_file(texts[fused->origins[i].file], "test.cl"));
    const StageTensor& there = own.tensors.at(static_cast<std::size_t>(fused->origins[i].tensor));
    EXPECT_EQ(there.type, fused->plan.tensors[i].type);
    EXPECT_TRUE(fused->plan.tensors[i].name.starts_with(there.name));
  }
}

TEST(FusedFiles, NamesOfOneFileAreNotThoseOfAnother) {
  const auto fused = fuse({kLevel, kAgain});
  ASSERT_TRUE(fused);
  const std::string& common = fused->file.common.text;
  for (const char* name : {"k_s0_[2]", "of_s0_(float", "k_s1_[3]", "of_s1_(float"})
    EXPECT_NE(common.find(name), std::string::npos) << name;
  EXPECT_NE(fused->file.parts[1].body.text.find("of_s1_(level_s0_(0, 0)) * gain_s1_"),
            std::string::npos)
      << fused->file.parts[1].body.text;
}

TEST(FusedFiles, AreNoneWhereOneLoopWouldBeWrong) {
  const std::string cut =
      "\n//!READ level float32\n//!WRITE mask uint8\n//!MAP\nmask = level(0, 0) > 3;\n";
  ASSERT_TRUE(fuse({kLevel, "//!STAGE cut" + cut}));
  const std::pair<const char*, std::string> wrong[] = {
      {"reads neighbours",
       "//!STAGE s\n//!READ level float32 halo=1\n//!WRITE mask uint8\n//!MAP\n"
       "mask = level(1, 0) > 3;\n"},
      {"another size",
       "//!STAGE s\n//!READ level float32\n//!WRITE mask uint8 size=1/2\n//!MAP\n"
       "mask = level(0, 0) > 3;\n"},
      {"another type",
       "//!STAGE s\n//!READ level int32\n//!WRITE mask uint8\n//!MAP\n"
       "mask = level(0, 0) > 3;\n"},
      {"keeps",
       "//!STAGE s\n//!READ level float32\n//!WRITE m float32 kept\n//!MAP\n"
       "m = level(0, 0) + (frame == 0 ? 0 : m(0, 0));\n"},
      {"reduces",
       "//!STAGE s\n//!READ level float32\n//!WRITE sum float32 shape=1\n//!REDUCE\n"
       "sum[0] += level(0, 0);\n"},
      {"loops",
       "//!STAGE s\n//!READ level float32\n//!WRITE m uint8\n//!LOOP 3\nm = level(0, 0);\n"},
      {"may join products and sums", "//!STAGE s\n//!CONTRACT" + cut},
      {"is of one side", "//!STAGE s\n//!ONLY cpu" + cut},
      {"has macros", "//!STAGE s\n  #define THREE 3" + cut},
      {"has macros in its body", "//!STAGE s" + cut + "#define THREE 3\n"},
      {"has types", "//!STAGE s\ntypedef float real;" + cut},
  };
  for (const auto& [why, text] : wrong) EXPECT_FALSE(fuse({kLevel, text})) << why;
  EXPECT_FALSE(fuse({kLevel}));
}

}  // namespace
}  // namespace tandem
