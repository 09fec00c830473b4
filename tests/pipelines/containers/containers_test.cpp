// SPDX-License-Identifier: LGPL-2.1-or-later
// `tandem run` with each kind of file and each kind of trouble that it may have: every frame that a
// plain pipeline decodes is analysed and written.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "tests/pipelines/containers/troubled_files.h"
#include "tests/pipelines/jobs/json_frames.h"
#include "tests/pipelines/support/command.h"
#include "tests/pipelines/support/decoded.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

struct Cell {
  Container container;
  Trouble trouble;
};

void PrintTo(const Cell& cell, std::ostream* out) {
  *out << to_string(cell.container) << "_" << to_string(cell.trouble);
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  for (int i = 0; i < kContainers * kTroubles; ++i)
    cells.push_back({static_cast<Container>(i / kTroubles), static_cast<Trouble>(i % kTroubles)});
  return cells;
}

std::vector<Cell> cells_with_files() {
  std::vector<Cell> cells = all_cells();
  std::erase_if(
      cells, [](const Cell& cell) { return troubled_files(cell.container, cell.trouble).empty(); });
  return cells;
}

// None is left out without a reason.
TEST(Cells, HaveFilesOrAReason) {
  for (const Cell& cell : all_cells()) {
    const std::string reason = why_not(cell.container, cell.trouble);
    EXPECT_EQ(troubled_files(cell.container, cell.trouble).empty(), !reason.empty())
        << testing::PrintToString(cell);
    if (!reason.empty())
      std::printf("not tested: %s: %s\n", testing::PrintToString(cell).c_str(), reason.c_str());
  }
}

class Containers : public testing::TestWithParam<Cell> {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { fs::remove_all(folder_); }

  void expect_all_frames(const TroubledFile& file, const std::string& input,
                         const std::string& extension);

  std::string folder_;
};

// Of the video that is to be analysed.
int count_main(const Decoded& decoded, const TroubledFile& file) {
  int frames = 0;
  for (const auto& [size, count] : decoded.frames)
    if (file.decoded.contains(size)) frames += count;
  return frames;
}

void expect_whole(const std::string& output, const TroubledFile& file, std::size_t frames) {
  const Decoded written = decode_file(output);
  EXPECT_EQ(written.times_ns.size(), frames);
  EXPECT_EQ(written.sizes(), std::vector<std::string>{file.shown});
  EXPECT_EQ(std::ranges::adjacent_find(written.times_ns, std::greater_equal()),
            written.times_ns.end())
      << "each frame is shown after the one before";
  EXPECT_TRUE(file.dark_edge.empty() || written.dark_edge == file.dark_edge) << written.dark_edge;
}

void Containers::expect_all_frames(const TroubledFile& file, const std::string& input,
                                   const std::string& extension) {
  const auto [container, trouble] = GetParam();
  const bool cut = trouble == Trouble::cut_off;
  const bool is_uri = gst_uri_is_valid(input.c_str());
  const int wanted =
      file.frames == 0 ? 0 : count_main(decode_uri(is_uri ? input : "file://" + input), file);
  if (cut) {
    EXPECT_LE(wanted, file.frames);
    EXPECT_EQ(wanted > 0, file.frames > 0);
  } else {
    EXPECT_EQ(wanted, file.frames) << "a plain pipeline does not decode all of the file";
  }

  const std::string json = folder_ + "/out.jsonl", output = folder_ + "/out" + extension;
  fs::remove(json);
  fs::remove(output);
  const CommandResult result = run_tandem({"run", "tracking", "--device", "cpu", "--input", input,
                                           "--metadata", json, "--output", output});
  const std::size_t analysed = comparable(read_file(json)).size();
  EXPECT_EQ(analysed, static_cast<std::size_t>(wanted)) << result.errors;
  const bool tells = wanted == 0 || (cut && states_its_size(container));
  EXPECT_EQ(result.status, tells ? 1 : 0) << result.errors;
  EXPECT_TRUE(!tells || result.errors.find("'" + input + "'") != result.errors.npos)
      << result.errors;
  if (wanted == 0) return;
  EXPECT_TRUE(!tells ||
              result.errors.find("cut short: 25.0% of it is missing") != result.errors.npos)
      << result.errors;
  EXPECT_NE(result.output.find(file.shown + ": "), std::string::npos) << result.output;
  expect_whole(output, file, analysed);
}

TEST_P(Containers, EachFrameIsAnalysedAndWritten) {
  int number = 0;
  for (const TroubledFile& file : troubled_files(GetParam().container, GetParam().trouble)) {
    if (!can_make(file)) continue;
    const std::string input = make(file, GetParam().container, folder_);
    for (const char* extension : {".mp4", ".mkv"}) {
      SCOPED_TRACE("file " + std::to_string(number) + " -> " + extension);
      expect_all_frames(file, input, extension);
    }
    ++number;
  }
  if (number == 0) GTEST_SKIP() << "needs gstreamer1.0-plugins-ugly and gstreamer1.0-plugins-bad";
}

INSTANTIATE_TEST_SUITE_P(All, Containers, testing::ValuesIn(cells_with_files()),
                         [](const testing::TestParamInfo<Cell>& cell) {
                           return testing::PrintToString(cell.param);
                         });

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
