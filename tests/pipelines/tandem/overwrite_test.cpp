// SPDX-License-Identifier: LGPL-2.1-or-later
// No output of `tandem` destroys what the command reads or what another output writes.
#include <fcntl.h>
#include <gst/gst.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

class Overwrite : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    make_model(folder_);
    make_video(path("in.avi"), 12, 160, 144);
    bytes_ = read_file(path("in.avi"));
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  static CommandResult run(std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "vivid", "--device", "cpu"});
    return run_tandem(words);
  }
  // Whatever writes to `output` is refused, and `file` keeps its bytes.
  void expect_kept(const std::string& input, const std::string& output, const std::string& file) {
    const std::string bytes = read_file(file);
    for (const char* option : {"--output", "--metadata"}) {
      const CommandResult result = run({"--input", input, option, output});
      EXPECT_EQ(result.status, 2) << input << ' ' << option << result.output << result.errors;
      EXPECT_NE(result.errors.find(option + std::string(" would overwrite the input")),
                std::string::npos)
          << input << ": " << result.errors;
      EXPECT_TRUE(read_file(file) == bytes) << input << ' ' << option;
    }
  }

  std::string folder_, bytes_;
};

TEST_F(Overwrite, InputsOfAnyUriAreKept) {
  fs::create_hard_link(path("in.avi"), path("hard.avi"));
  fs::create_symlink(path("in.avi"), path("soft.avi"));
  fs::create_symlink(folder_, path("linked"));
  for (const char* output : {"in.avi", "hard.avi", "soft.avi", "linked/in.avi"}) {
    for (const std::string uri :
         {"file://", "pushfile://", "splitfile://", "multifile://", "splitmux://", ""})
      expect_kept(uri + path("in.avi"), path(output), path("in.avi"));
  }
}

TEST_F(Overwrite, EachFileOfSeveralIsKept) {
  for (const char* part : {"part01.avi", "part02.avi"}) fs::copy(path("in.avi"), path(part));
  fs::create_hard_link(path("part02.avi"), path("hard.avi"));
  for (const char* uri : {"splitfile://", "splitmux://"})
    expect_kept(uri + path("part*.avi"), path("hard.avi"), path("part02.avi"));
  for (const char* uri : {"multifile://", "imagesequence://"})
    expect_kept(uri + path("part%2502d.avi"), path("hard.avi"), path("part02.avi"));
}

// The name of one file, which another source would take for a pattern.
TEST_F(Overwrite, AnotherFileThanTheInputIsWritten) {
  fs::copy(path("in.avi"), path("in[1].avi"));
  write_file(path("in1.avi"), "old");
  const CommandResult result = run({"--input", path("in[1].avi"), "--output", path("in1.avi")});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(read_file(path("in1.avi")), "old");
}

TEST_F(Overwrite, TheInputOfADescriptorIsKept) {
  const int in = open(path("in.avi").c_str(), O_RDONLY);  // the command inherits it
  ASSERT_GE(in, 0);
  expect_kept("fd://" + std::to_string(in), path("in.avi"), path("in.avi"));
  close(in);
}

TEST_F(Overwrite, AModelIsKept) {
  const std::string model = path("models/person.vivid"), bytes = read_file(model);
  const CommandResult result =
      run({"--input", path("in.avi"), "--model", model, "--metadata", model});
  EXPECT_EQ(result.status, 2) << result.errors;
  EXPECT_TRUE(read_file(model) == bytes);
}

TEST_F(Overwrite, CommandsThatWriteTextKeepWhatTheyRead) {
  const std::string model = path("models/person.vivid"), code = path("loop.c");
  write_file(code, "void f(int n, float* a) {\n#pragma omp parallel for\n}\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"evaluate-detector", "--dataset", folder_, "--model", model,
                                 "--svg", model},
        {"evaluate-scenes", "--images", folder_, "--model", model, "--json", model},
        {"bench", "vivid", "--model", model, "--json", model},
        {"generate", code, "--output", code}}) {
    const std::string& file = words.back();
    const std::string bytes = read_file(file);
    const CommandResult result = run_tandem(words);
    if (result.errors.find("no libclang") != std::string::npos) continue;
    EXPECT_EQ(result.status, 2) << words[0] << result.errors;
    EXPECT_NE(result.errors.find("would overwrite the input"), std::string::npos) << result.errors;
    EXPECT_TRUE(read_file(file) == bytes) << words[0];
  }
}

TEST_F(Overwrite, EachOutputHasAFileOfItsOwn) {
  write_file(path("o.mkv"), "");
  fs::create_hard_link(path("o.mkv"), path("hard"));
  for (const char* lines : {"o.mkv", "hard", "./o.mkv"}) {
    const CommandResult result =
        run({"--input", path("in.avi"), "--output", path("o.mkv"), "--metadata", path(lines)});
    EXPECT_EQ(result.status, 2) << lines << result.errors;
    EXPECT_NE(result.errors.find("--metadata and --output name the same file"), std::string::npos)
        << lines << result.errors;
  }
  const CommandResult result =
      run_tandem({"evaluate-detector", "--dataset", folder_, "--model", path("models/person.vivid"),
                  "--csv", path("new"), "--json", path("./new")});
  EXPECT_EQ(result.status, 2) << result.errors;
  EXPECT_NE(result.errors.find("--csv and --json name the same file"), std::string::npos)
      << result.errors;
  const CommandResult device =
      run_tandem({"evaluate-detector", "--dataset", folder_, "--model", path("models/person.vivid"),
                  "--csv", "/dev/null", "--json", "/dev/null"});
  EXPECT_EQ(device.errors.find("name the same file"), std::string::npos) << device.errors;
}

// It ends before the first frame.
TEST_F(Overwrite, WithoutAFrameLinesStay) {
  write_file(path("lines"), "old");
  EXPECT_EQ(run({"--input", path("lines"), "--metadata", path("m")}).status, 1);
  write_file(path("m"), "old");
  write_file(path("empty.avi"), "");
  EXPECT_EQ(run({"--input", path("empty.avi"), "--metadata", path("m")}).status, 1);
  EXPECT_EQ(read_file(path("m")), "old");
  EXPECT_EQ(run({"--input", path("in.avi"), "--metadata", path("m")}).status, 0);
  EXPECT_EQ(read_file(path("m")).substr(0, 1), "{");
}

TEST_F(Overwrite, WhatIsNoStageOpensNoFile) {
  for (const char* stages : {"vividfilter ! filesink location=", "filesink location=",
                             "tee name=t ! vividfilter  t. ! filesink location="}) {
    const CommandResult result =
        run({"--input", path("in.avi"), "--stages", stages + path("in.avi")});
    EXPECT_NE(result.status, 0) << stages;
    EXPECT_NE(result.errors.find("tandembin holds Tandem stages only"), std::string::npos)
        << stages << result.errors;
    EXPECT_TRUE(read_file(path("in.avi")) == bytes_) << stages;
    if (read_file(path("in.avi")) != bytes_) write_file(path("in.avi"), bytes_);
  }
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
