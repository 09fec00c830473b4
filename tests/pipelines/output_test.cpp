// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/pipelines/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 12;

// What the command writes, and where, as a shell sees it.
class Output : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    make_model(folder_);
    make_video(path("video.avi"), kFrames, 160, 144);
    setenv("F", folder_.c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Runs `script`, in which T is the command and F the test's folder; the exit status.
  static int shell(const std::string& script) {
    const int status = std::system(("cd \"$F\"; T=$TANDEM_COMMAND; " + script).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string text(const std::string& name) const { return read_file(path(name)); }

  std::string folder_;
};

struct Lines {
  int json = 0, others = 0;
};

Lines lines_in(const std::string& text) {
  std::istringstream lines(text);
  Lines count;
  for (std::string line; std::getline(lines, line);)
    ++(nlohmann::json::accept(line) ? count.json : count.others);
  return count;
}

// Lines of JSON and nothing else; -1: a line is something else.
int json_lines(const std::string& text) {
  const Lines lines = lines_in(text);
  return lines.others > 0 ? -1 : lines.json;
}

constexpr const char* kRun = "$T run vivid --input video.avi ";

TEST_F(Output, ADashIsStandardOutput) {
  EXPECT_EQ(shell(std::string(kRun) + "--metadata - > out 2> err"), 0) << text("err");
  EXPECT_EQ(json_lines(text("out")), kFrames) << text("out");
  EXPECT_NE(text("err").find("160x144: 12 frames"), std::string::npos) << text("err");
  EXPECT_FALSE(fs::exists(path("-")));
}

TEST_F(Output, WithoutAnInputMessagesGoToStandardErrorToo) {
  setenv("TANDEM_DEMO_VIDEO", path("video.avi").c_str(), 1);
  EXPECT_EQ(shell("$T run vivid --metadata - > out 2> err"), 0) << text("err");
  unsetenv("TANDEM_DEMO_VIDEO");
  EXPECT_EQ(json_lines(text("out")), kFrames) << text("out");
  EXPECT_NE(text("err").find("no --input"), std::string::npos) << text("err");
}

// Messages and lines would overwrite each other: each name opens the file with its own offset.
TEST_F(Output, OtherNamesOfStandardOutputAreStandardOutput) {
  for (const std::string name :
       {"/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", "out", "./link-to-out"}) {
    fs::remove(path("out"));
    fs::remove(path("link-to-out"));
    fs::create_symlink("out", path("link-to-out"));
    EXPECT_EQ(shell(std::string(kRun) + "--metadata " + name + " > out 2> err"), 0) << text("err");
    EXPECT_EQ(json_lines(text("out")), kFrames) << name << ": " << text("out");
    EXPECT_NE(text("err").find("160x144: 12 frames"), std::string::npos) << name;
  }
}

TEST_F(Output, WhatStoodThereStays) {
  for (const std::string name : {"-", "/dev/stdout"}) {
    EXPECT_EQ(shell("echo '\"before\"' > out; " + std::string(kRun) + "--metadata " + name +
                    " >> out 2> err"),
              0)
        << text("err");
    EXPECT_EQ(json_lines(text("out")), kFrames + 1) << name << ": " << text("out");
    EXPECT_EQ(text("out").substr(0, 9), "\"before\"\n");
  }
}

TEST_F(Output, StandardErrorKeepsItsMessages) {
  EXPECT_EQ(shell(std::string(kRun) + "--metadata /dev/stderr > out 2> err"), 0);
  EXPECT_EQ(json_lines(text("err")), kFrames) << text("err");
  EXPECT_NE(text("out").find("160x144: 12 frames"), std::string::npos) << text("out");
  EXPECT_EQ(shell(std::string(kRun) + "--metadata /dev/stderr > both 2>&1"), 0);
  EXPECT_EQ(lines_in(text("both")).json, kFrames) << text("both");
  EXPECT_NE(text("both").find("160x144: 12 frames"), std::string::npos) << text("both");
}

TEST_F(Output, DevNullTakesLinesAndMessages) {
  EXPECT_EQ(shell(std::string(kRun) + "--metadata /dev/null > /dev/null 2> err"), 0);
  EXPECT_EQ(text("err").find("frames in"), std::string::npos) << text("err");
}

TEST_F(Output, JsonOfAMeasurementIsAloneOnStandardOutput) {
  const std::string bench = "$T bench vivid --size 96x128 --frames 1 --seconds 0 --cores 1 ";
  EXPECT_EQ(shell(bench + "--json - > out 2> err"), 0) << text("err");
  EXPECT_TRUE(nlohmann::json::accept(text("out"))) << text("out");
  EXPECT_NE(text("err").find("by throughput"), std::string::npos) << text("err");
  EXPECT_EQ(shell("$T report out -o - > page 2> err"), 0) << text("err");
  EXPECT_EQ(text("page").substr(0, 15), "<!DOCTYPE html>") << text("page").substr(0, 80);
  EXPECT_EQ(shell(bench + "--metric throughput,latency --json - 2> err"), 2);
  EXPECT_NE(text("err").find("one metric"), std::string::npos) << text("err");
}

TEST_F(Output, OneOptionHasStandardOutput) {
  EXPECT_EQ(shell("$T evaluate-detector --dataset . --model m --csv - --json /dev/stdout 2>err|cat"
                  "> out; grep -q 'both write to standard output' err"),
            0)
      << text("err");
}

TEST_F(Output, VideosAndModelsAreRefusedThere) {
  for (const std::string words :
       {"run vivid --input video.avi --output -", "train-detector --positives . --output -",
        "train-scenes --images . --output -", "streams train s.json --output -",
        "streams measure . --output -"}) {
    EXPECT_EQ(shell("$T " + words + " > out 2> err"), 2) << words << ": " << text("err");
    EXPECT_NE(text("err").find("--output: this file cannot be written to standard output"),
              std::string::npos)
        << words << ": " << text("err");
    EXPECT_FALSE(fs::exists(path("-"))) << words;
  }
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
