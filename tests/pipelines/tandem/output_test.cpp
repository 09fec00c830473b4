// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <gst/gst.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/opencl/opencl.h"
#include "tests/pipelines/support/command.h"

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
  // A shell has opened the file, whose messages would be overwritten.
  EXPECT_EQ(shell("$T train-scenes --images . --output model > model 2> err"), 2) << text("err");
  EXPECT_EQ(shell(std::string(kRun) + "--output o.avi > o.avi 2> err"), 2) << text("err");
}

// Other containers go back in the file when they end.
TEST_F(Output, OnlyAVideoThatCanBeStreamedGoesIntoAPipe) {
  for (const std::string name : {"o.mkv", "o.webm", "o.ogv"}) {
    EXPECT_EQ(shell("mkfifo " + name + "; cat " + name + " > read_" + name + " & " + kRun +
                    "--output " + name + " > out 2> err; status=$?; wait; exit $status"),
              0)
        << text("err");
    EXPECT_EQ(count_frames(path("read_" + name)), kFrames) << name;
  }
  for (const std::string name : {"o.mp4", "o.avi", "o.mov"}) {
    EXPECT_EQ(shell("mkfifo " + name + "; " + kRun + "--output " + name + " > out 2> err"), 2);
    EXPECT_NE(text("err").find("cannot be written into a pipe"), std::string::npos) << text("err");
  }
}

constexpr int kManyFrames = 600;  // whose lines are longer than a pipe of 64 KiB

TEST_F(Output, AReaderThatLeavesDoesNotEndTheVideo) {
  make_video(path("long.avi"), kManyFrames, 96, 144);
  EXPECT_EQ(shell("mkfifo pipe; head -n 2 pipe > out & $T run vivid --input long.avi "
                  "--metadata pipe --output o.avi 2> err"),
            1)
      << text("err");
  EXPECT_NE(text("err").find("--metadata: the reader has closed 'pipe'"), std::string::npos)
      << text("err");
  EXPECT_EQ(count_frames(path("o.avi")), kManyFrames);
}

// A descriptor of a pipe that nobody reads.
constexpr const char* kNoReader = "mkfifo pipe; exec 3<>pipe 4>pipe 3>&-; ";

TEST_F(Output, WithoutAReaderNothingIsLeftToDo) {
  make_video(path("video.avi"), kManyFrames, 96, 144);
  EXPECT_EQ(shell(kNoReader + std::string(kRun) + "--metadata - >&4 2> err"), 1);
  EXPECT_NE(text("err").find("--metadata: the reader has closed standard output"),
            std::string::npos)
      << text("err");
}

TEST_F(Output, MessagesThatNobodyReadsDoNotEndTheVideo) {
  EXPECT_EQ(shell(kNoReader + std::string(kRun) + "--output o.avi --metadata m >&4 2> err"), 1);
  EXPECT_EQ(text("err"), "");
  EXPECT_EQ(count_frames(path("o.avi")), kFrames);
  EXPECT_EQ(json_lines(text("m")), kFrames);
}

TEST_F(Output, AFullDiskIsToldWithTheOption) {
  EXPECT_EQ(shell(std::string(kRun) + "--output o.avi --metadata /dev/full 2> err"), 1);
  EXPECT_NE(text("err").find("--metadata: cannot write '/dev/full': No space left on device"),
            std::string::npos)
      << text("err");
  EXPECT_EQ(count_frames(path("o.avi")), kFrames);
  EXPECT_EQ(shell("$T --version > /dev/full 2> err"), 1);
  EXPECT_NE(text("err").find("standard output cannot be written"), std::string::npos)
      << text("err");
}

int count_pictures(const std::string& folder) {
  return static_cast<int>(std::ranges::count(
      fs::directory_iterator(folder), fs::path(".png"),
      [](const fs::directory_entry& entry) { return entry.path().extension(); }));
}

TEST_F(Output, AShortVideoHasAPictureOfItsFirstFind) {
  fs::create_directory(path("found"));
  EXPECT_EQ(shell(std::string(kRun) + "--threshold 0 --pictures found > out 2> err"), 0)
      << text("err");
  EXPECT_EQ(count_pictures(path("found")), 1);
  EXPECT_NE(text("out").find("  1 picture in 'found'\n"), std::string::npos) << text("out");
  fs::create_directory(path("none"));
  EXPECT_EQ(shell(std::string(kRun) + "--threshold 1 --pictures none > out 2> err"), 0)
      << text("err");
  EXPECT_EQ(count_pictures(path("none")), 0);
  EXPECT_NE(text("out").find("  0 pictures in 'none': nothing was found in any frame\n"),
            std::string::npos)
      << text("out");
}

// A Turkish locale in $F/locale; false where localedef or its sources are missing.
bool make_turkish_locale(const std::string& folder) {
  fs::create_directory(folder + "/locale");
  const std::string make = "localedef -i tr_TR -f UTF-8 " + folder + "/locale/tr_TR.UTF-8";
  return std::system((make + " > /dev/null 2>&1").c_str()) == 0;
}

constexpr const char* kTurkish = "LOCPATH=$F/locale LC_ALL=tr_TR.UTF-8 ";

// 'I' has no lower case of one byte there.
TEST_F(Output, NamesOfFormatsAndDevicesHaveNoLocale) {
  if (!make_turkish_locale(folder_)) GTEST_SKIP() << "needs localedef and the package locales";
  EXPECT_EQ(shell(kTurkish + std::string(kRun) + "--output O.AVI > out 2> err"), 0) << text("err");
  EXPECT_EQ(count_frames(path("O.AVI")), kFrames);
  const std::vector<opencl::DeviceDescription> devices = opencl::list_devices();
  if (devices.empty()) return;
  std::string name = devices[0].platform;
  for (char& c : name) c = g_ascii_toupper(c);
  setenv("NAME", name.c_str(), 1);
  EXPECT_EQ(
      shell(kTurkish + std::string(kRun) + "--mapping ggg --opencl-device \"$NAME\" > out 2> err"),
      0)
      << text("err");
  EXPECT_EQ(text("err").find("no OpenCL device matches"), std::string::npos) << text("err");
}

TEST_F(Output, ADriverThatDoesNotAnswerDoesNotHoldTheRun) {
  if (!std::getenv("TANDEM_STUCK_DRIVER")) GTEST_SKIP() << "needs a build with OpenCL";
  EXPECT_EQ(shell("echo \"$TANDEM_STUCK_DRIVER\" > stuck.icd; OCL_ICD_VENDORS=$F/stuck.icd " +
                  std::string(kRun) + "--output o.avi > out 2> err"),
            0)
      << text("err");
  EXPECT_EQ(count_frames(path("o.avi")), kFrames);
}

// Reads lines of a FIFO that a command writes.
class LineReader {
 public:
  explicit LineReader(const std::string& pipe) : file_(open(pipe.c_str(), O_RDONLY)) {}
  ~LineReader() { close(file_); }
  // At least one, or none at the end.
  int read_some() {
    char bytes[4096];
    for (int lines = 0;;) {
      const ssize_t got = read(file_, bytes, sizeof bytes);
      if (got <= 0) return lines;
      lines += static_cast<int>(std::count(bytes, bytes + got, '\n'));
      if (lines > 0) return lines;
    }
  }
  int read_all() {
    int all = 0;
    for (int some = 0; (some = read_some()) > 0;) all += some;
    return all;
  }

 private:
  const int file_;
};

// A terminal that closes sends it several times.
TEST_F(Output, AHangupEndsAsCtrlCDoes) {
  make_video(path("long.avi"), kManyFrames, 320, 240);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  signal(SIGHUP, SIG_DFL);  // else the command inherits what nohup ignores
  const int process =
      start_tandem({"run", "vivid", "--input", path("long.avi"), "--size", "1280x960", "--metadata",
                    path("pipe"), "--output", path("o.avi")},
                   path("err"));
  ASSERT_GT(process, 0);
  LineReader lines(path("pipe"));
  int count = lines.read_some();
  for (int i = 0; i < 3; ++i) {
    kill(process, SIGHUP);
    count += lines.read_some();
  }
  count += lines.read_all();
  EXPECT_EQ(wait_for(process), 130) << text("err");
  EXPECT_LT(count, kManyFrames);
  EXPECT_EQ(count_frames(path("o.avi")), count);
}

TEST_F(Output, AHangupThatIsIgnoredStaysIgnored) {
  make_video(path("long.avi"), kManyFrames, 96, 144);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  signal(SIGHUP, SIG_IGN);  // the command inherits it, as from nohup
  const int process = start_tandem(
      {"run", "vivid", "--input", path("long.avi"), "--metadata", path("pipe")}, path("err"));
  signal(SIGHUP, SIG_DFL);
  ASSERT_GT(process, 0);
  LineReader lines(path("pipe"));
  int count = lines.read_some();
  kill(process, SIGHUP);
  count += lines.read_all();
  EXPECT_EQ(wait_for(process), 0) << text("err");
  EXPECT_EQ(count, kManyFrames);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
