// SPDX-License-Identifier: LGPL-2.1-or-later
// A stage file that is written is the one that was read.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "kernels/stage_file/codegen/codegen.h"

namespace tandem::check {
namespace {

// All that directives say, in the order in which they are written.
constexpr char kEverything[] = R"(//!STAGE everything All that there is
//!PARAM rate float 0.1 -1e-05..1e+30 How fast
//!PARAM times int 1000000 -1073741824..1073741824
//!PARAM on bool true Whether
//!PARAM off bool false
//!CONTRACT
constant float k[3] = {1, 2, 3};
// A comment.

float twice(float v) { return 2 * v; }
//!READ luma halo=2
//!READ cb
//!READ cr size=1/1 halo=1
//!READ other float32 size=1/2 from=theirs halo=1
//!READ table int32 shape=4,3
//!WRITE a float32 size=1/2 as=ours tolerance=0.001
//!WRITE b uint8 size=1/2 private
//!WRITE c int32 size=1/2 kept halo=3
//!MAP
a = twice(luma(1, 0)) + rate;
b = on ? table[0] : 1;

c = c(0, 0) + times;
//!CPU
a = b = 1; c = 2;
//!DEVICE
a = b = 2; c = 3;
//!READ b
//!WRITE d float32 halo=1
//!LOOP 7
d = d(1, 0) + b(0, 0);
//!READ d halo=1
//!WRITE luma
//!LOOP 9 settle
luma = d(1, 1);
//!READ luma
//!WRITE boxes float32 shape=16,5
//!REDUCE
boxes[0] += luma(0, 0);
//!COMBINE
boxes[0] += boxes_other[0];
//!REGIONS boxes label=spot
//!REGIONS boxes
)";

TEST(StageFileIsWritten, AsItWasRead) {
  EXPECT_EQ(write_stage_file(parse_stage_file(kEverything, "own.cl")), kEverything);
  const std::string only = "//!STAGE own\n//!ONLY device\n//!WRITE to uint8\n//!MAP\nto = 1;\n";
  EXPECT_EQ(write_stage_file(parse_stage_file(only, "own.cl")), only);
}

TEST(StageFileIsWritten, WithTheSameCode) {
  for (const auto& entry : std::filesystem::directory_iterator(std::getenv("TANDEM_STAGES"))) {
    SCOPED_TRACE(entry.path());
    const StageFile file = load_stage_file(entry.path());
    const std::string text = write_stage_file(file);
    const StageFile again = parse_stage_file(text, entry.path());
    EXPECT_EQ(write_stage_file(again), text);
    // Without the lines that say where the user's code is.
    const auto code = [](const StageFile& of) {
      std::string all = generate_c(of, plan_stage(of)) + generate_opencl(of, plan_stage(of));
      std::string kept;
      for (std::size_t at = 0; at < all.size();) {
        const std::size_t end = std::min(all.find('\n', at), all.size() - 1) + 1;
        const std::string line = all.substr(at, end - at);
        if (line != "\n" && !line.starts_with("#line")) kept += line;
        at = end;
      }
      return kept;
    };
    EXPECT_EQ(code(again), code(file));
  }
}

// What a program puts together needs no lines.
TEST(StageFileIsWritten, FromADescription) {
  StageFile file;
  file.name = "sum";
  file.parameters = {
      {.name = "gain", .type = StageParameter::Type::kFloat, .initial = 0.1, .most = 3}};
  file.parts = {{.reads = {{.name = "a", .tensor = "x", .type = ElementType::kFloat32}},
                 .writes = {{.name = "b", .tensor = "b", .type = ElementType::kFloat32}},
                 .body = {"b = gain * a(0, 0);\n"}}};
  EXPECT_EQ(write_stage_file(file),
            "//!STAGE sum\n//!PARAM gain float 0.1 0..3\n//!READ a float32 from=x\n"
            "//!WRITE b float32\n//!MAP\nb = gain * a(0, 0);\n");
}

}  // namespace
}  // namespace tandem::check
