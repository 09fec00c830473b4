// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <gst/gst.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kAll = "0";   // a threshold that every window reaches
constexpr const char* kNone = "1";  // and one that none reaches

class RunVivid : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    make_model(folder_);
    video_ = folder_ + "/video.avi";
    make_video(video_, 20, 160, 144);
  }
  void TearDown() override { fs::remove_all(folder_); }

  CommandResult run(std::vector<std::string> options, const std::string& input = "") {
    std::vector<std::string> words = {"run", "vivid", "--input", input.empty() ? video_ : input};
    words.insert(words.end(), options.begin(), options.end());
    return run_tandem(words);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::vector<nlohmann::json> metadata(const std::string& name) const {
    std::istringstream lines(read_file(path(name)));
    std::vector<nlohmann::json> frames;
    for (std::string line; std::getline(lines, line);)
      frames.push_back(nlohmann::json::parse(line));
    return frames;
  }

  std::string folder_, video_;
};

int tallest(const nlohmann::json& frame) {
  int most = 0;
  for (const auto& region : frame.at("detections"))
    most = std::max(most, region.at("h").get<int>());
  return most;
}

TEST_F(RunVivid, SummaryTellsFramesAndWhereTheyRan) {
  const CommandResult result = run({});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("160x144: 20 frames"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("vividclassifier 20/0"), std::string::npos) << result.output;
}

TEST_F(RunVivid, EveryApplicationSaysWhatItFound) {
  const struct {
    const char* application;
    const char* says;
  } cases[] = {{"vivid", " people found ("},
               {"tracking", " vectors a frame"},
               {"srad", ", speckle reduced, 20 iterations a frame"}};
  for (const auto& [application, says] : cases) {
    const CommandResult result = run_tandem({"run", application, "--input", video_});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_NE(result.output.find("160x144: 20 frames"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find(says), std::string::npos) << result.output;
  }
}

TEST_F(RunVivid, WithoutInputTheDemosVideoIsTaken) {
  setenv("TANDEM_DEMO_VIDEO", video_.c_str(), 1);
  const CommandResult result = run_tandem({"run", "tracking"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output.rfind("no --input: using " + video_ + "\n", 0), 0U) << result.output;
  EXPECT_NE(result.output.find("160x144: 20 frames"), std::string::npos) << result.output;
}

TEST_F(RunVivid, WithoutInputAndVideoThereIsAPattern) {
  setenv("TANDEM_DEMO_VIDEO", path("nowhere.avi").c_str(), 1);
  const CommandResult result = run_tandem(
      {"run", "vivid", "--size", "96x144,160x160", "--segment-frames", "3", "--first-scale", "1"});
  EXPECT_EQ(result.status, 0) << result.errors;
  const bool pattern = result.output.find("using a moving pattern, 6 frames") != std::string::npos;
  EXPECT_TRUE(pattern || result.output.find("/vtest.avi\n") != std::string::npos) << result.output;
  EXPECT_NE(result.output.find("96x144: 3 frames"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("160x160: 3 frames"), std::string::npos) << result.output;
}

TEST_F(RunVivid, MetadataHasOneLineAFrame) {
  const CommandResult result = run({"--metadata", path("m.jsonl"), "--threshold", kAll});
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::vector<nlohmann::json> frames = metadata("m.jsonl");
  ASSERT_EQ(frames.size(), 20u);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].at("schema"), "tandem-frame");
    EXPECT_EQ(frames[i].at("width"), 160);
    EXPECT_EQ(frames[i].at("height"), 144);
    EXPECT_EQ(frames[i].at("frame"), i);
    EXPECT_EQ(frames[i].at("pts_ns"), i * 40000000);
    ASSERT_FALSE(frames[i].at("detections").empty());
    for (const nlohmann::json& region : frames[i].at("detections")) {
      EXPECT_EQ(region.size(), 8u);
      EXPECT_LE(region.at("x").get<int>() + region.at("w").get<int>(), 160);
      EXPECT_LE(region.at("y").get<int>() + region.at("h").get<int>(), 144);
      EXPECT_EQ(region.at("label"), "person");
      EXPECT_TRUE(region.at("confidence").is_number_float());
    }
  }
}

TEST_F(RunVivid, WritesEveryKindOfVideo) {
  for (const char* name : {"o.mkv", "o.webm", "o.ogv", "o.avi", "o.mp4", "o.mov"}) {
    const CommandResult result = run({"--output", path(name)});
    if (result.errors.find("no encoder for") != std::string::npos) continue;
    EXPECT_EQ(result.status, 0) << name << ": " << result.errors;
    EXPECT_EQ(count_frames(path(name)), 20) << name;
  }
}

TEST_F(RunVivid, BoxesAreDrawn) {
  ASSERT_EQ(run({"--output", path("with.avi"), "--threshold", kAll}).status, 0);
  ASSERT_EQ(run({"--output", path("without.avi"), "--threshold", kNone}).status, 0);
  EXPECT_NE(read_file(path("with.avi")), read_file(path("without.avi")));
}

TEST_F(RunVivid, SeveralSizesInOneStream) {
  const CommandResult result =
      run({"--size", "96x144,160x160,96x144", "--segment-frames", "6", "--metadata",
           path("m.jsonl"), "--threshold", kAll, "--output", path("o.mkv"), "--output-size",
           "128x128", "--pictures", folder_});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(metadata("m.jsonl").size(), 18u);
  EXPECT_EQ(count_frames(path("o.mkv")), 18);
  const std::size_t second = result.output.find("160x160: 6 frames");
  EXPECT_LT(result.output.find("96x144: 6 frames"), second) << result.output;
  EXPECT_NE(result.output.find("96x144: 6 frames", second), std::string::npos) << result.output;
  for (const char* name : {"part1-96x144-frame0002.png", "part2-160x160-frame0002.png",
                           "part3-96x144-frame0005.png"}) {
    EXPECT_EQ(read_file(path(name)).substr(0, 4), "\x89PNG") << name;
  }
}

TEST_F(RunVivid, EachPartIsSearchedAtItsOwnFirstScale) {
  // With one level, detections are as large as that level's window.
  const CommandResult result =
      run({"--size", "128x160,192x224", "--segment-frames", "8", "--first-scale", "1,1.5",
           "--scales", "1", "--metadata", path("m.jsonl"), "--threshold", kAll});
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::vector<nlohmann::json> frames = metadata("m.jsonl");
  ASSERT_EQ(frames.size(), 16u);
  for (int i = 1; i < 8; ++i) EXPECT_EQ(tallest(frames[i]), tallest(frames[0])) << i;
  for (int i = 9; i < 16; ++i) EXPECT_EQ(tallest(frames[i]), tallest(frames[8])) << i;
  EXPECT_NEAR(tallest(frames[8]), 1.5 * tallest(frames[0]), 2);
}

TEST_F(RunVivid, StopsAfterFrames) {
  ASSERT_EQ(run({"--frames", "7", "--metadata", path("m.jsonl")}).status, 0);
  EXPECT_EQ(metadata("m.jsonl").size(), 7u);
}

TEST_F(RunVivid, SaysThatAShortClipEndedWhileTheBinMeasured) {
  for (const char* device : {"auto", "cpu"}) {
    const CommandResult result = run({"--frames", "7", "--device", device});
    ASSERT_EQ(result.status, 0) << result.errors;
    const std::string all = result.output + result.errors;
    EXPECT_NE(all.find("the video ended before the training did"), std::string::npos) << all;
    // A training that waits for the device has not begun.
    const bool began = all.find("  still learning at the end, last ") != std::string::npos;
    EXPECT_TRUE(began || device == std::string("auto")) << all;
  }
}

TEST_F(RunVivid, ForcedConfiguration) {
  for (const bool verbose : {false, true}) {
    std::vector<std::string> options = {"--device", "cpu", "--granularity", "mg",
                                        "--cores",  "2",   "--scales",      "1"};
    if (verbose) options.push_back("--verbose");
    const CommandResult result = run(options);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_NE(result.output.find("ran on the CPU (all cores on one frame)"), std::string::npos)
        << result.output;
    EXPECT_EQ(result.output.find("[ccc/mg]") != std::string::npos, verbose) << result.output;
  }
}

TEST_F(RunVivid, CtrlCLeavesAPlayableFile) {
  // Far longer than the test waits: many frames, each enlarged.
  make_video(video_, 500, 320, 240);
  for (const char* name : {"o.mkv", "o.mp4", "o.avi"}) {
    // A pipe, so that the test knows when frames come out.
    const std::string output = path(name), pipe = output + ".pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const int process = start_tandem({"run", "vivid", "--input", video_, "--size", "1280x960",
                                      "--output", output, "--metadata", pipe},
                                     path("errors"));
    ASSERT_GT(process, 0);
    const int lines = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // does not wait for the command
    int count = 0;
    bool interrupted = false;
    pollfd readable{lines, POLLIN, 0};
    char bytes[4096];
    for (ssize_t n = 0;
         poll(&readable, 1, 60000) == 1 && (n = read(lines, bytes, sizeof bytes)) > 0;) {
      if (!std::exchange(interrupted, true)) kill(process, SIGINT);
      count += static_cast<int>(std::count(bytes, bytes + n, '\n'));
    }
    close(lines);
    EXPECT_EQ(wait_for(process), 130) << name << ": " << read_file(path("errors"));
    EXPECT_GT(count, 0) << name;
    EXPECT_LT(count, 500) << name;
    EXPECT_EQ(count_frames(output), count) << name;
  }
}

// What it wrote is not complete then, and that is no error of its own.
TEST_F(RunVivid, ASecondCtrlCEndsAtOnce) {
  make_video(video_, 500, 320, 240);
  const int process = start_tandem(
      {"run", "vivid", "--input", video_, "--size", "1280x960", "--output", path("o.mp4")},
      path("errors"));
  ASSERT_GT(process, 0);
  for (int ms = 0; ms < 30000 && !fs::exists(path("o.mp4")); ++ms) std::this_thread::sleep_for(1ms);
  kill(process, SIGINT);
  std::this_thread::sleep_for(20ms);
  kill(process, SIGINT);
  EXPECT_EQ(wait_for(process), 130) << read_file(path("errors"));
}

TEST_F(RunVivid, AFullDiskIsAnErrorThatNamesTheFile) {
  for (const char* name : {"full.mkv", "full.mp4", "full.avi"}) {
    fs::create_symlink("/dev/full", path(name));
    const CommandResult result = run({"--output", path(name)});
    EXPECT_EQ(result.status, 1) << name;
    EXPECT_NE(result.errors.find(path(name) + "' cannot be written: the disk is full"),
              std::string::npos)
        << result.errors;
    EXPECT_NE(result.errors.find("Make room"), std::string::npos) << result.errors;
  }
}

// The first bytes fit, the frames do not.
TEST_F(RunVivid, AFileThatCannotGrowIsAnError) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);  // the command inherits both
  const rlimit few = {20000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &few);
  const CommandResult result = run({"--size", "640x480", "--output", path("o.mkv")});
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find(path("o.mkv") + "' cannot be written"), std::string::npos)
      << result.errors;
}

TEST_F(RunVivid, BadInputGetsAClearMessage) {
  write_file(path("noise.mp4"), std::string(5000, '\x5a'));
  write_file(path("empty.mp4"), "");
  write_file(path("cut.avi"), read_file(video_).substr(0, 300));
  const struct {
    std::string input;
    const char* says;
  } cases[] = {
      {path("nowhere.avi"), "there is no file"},
      {folder_, "is a folder"},
      {path("noise.mp4"), "holds no video"},
      {path("empty.mp4"), "holds no video"},
      {path("cut.avi"), "cut.avi'"},
      {"/dev/video99", "there is no camera"},
  };
  for (const auto& [input, says] : cases) {
    const CommandResult result = run({}, input);
    EXPECT_EQ(result.status, 1) << input;
    EXPECT_NE(result.errors.find(says), std::string::npos) << input << ": " << result.errors;
  }
}

TEST_F(RunVivid, TrackGivesIds) {
  const CommandResult result = run({"--track", "--threshold", kAll, "--metadata", path("m.jsonl")});
  EXPECT_NE(result.output.find(" different"), std::string::npos) << result.output << result.errors;
  EXPECT_TRUE(metadata("m.jsonl").back().at("detections").at(0).contains("object_id"));
  const CommandResult refused = run_tandem({"run", "scene", "--track", "--input", video_});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("'scene' detects none"), std::string::npos) << refused.errors;
}

struct BadOptions {
  std::vector<std::string> options;
  int status;
  std::string says;
};

void expect_message(const BadOptions& bad, const CommandResult& result) {
  const std::string about = testing::PrintToString(bad.options);
  EXPECT_EQ(result.status, bad.status) << about << ": " << result.errors;
  EXPECT_NE(result.errors.find(bad.says), std::string::npos) << about << ": " << result.errors;
}

TEST_F(RunVivid, BadNumbersAndNamesGetAClearMessage) {
  const BadOptions cases[] = {
      {{"--size", "600"}, 2, "WIDTHxHEIGHT"},
      {{"--size", "0x416"}, 2, "is not a size"},
      {{"--size", "60x40,80x60"}, 2, "--segment-frames"},
      {{"--size", "60x40,80x60", "--segment-frames", "2", "--first-scale", "1,2,3"}, 2, "one for"},
      {{"--frames", "0"}, 2, "below 1"},
      {{"--frames", "many"}, 2, "is not a number"},
      {{"--first-scale", "-1"}, 2, "is not above 0"},
      {{"--inputs", "x"}, 2, "did you mean '--input'?"},
      {{"leftover"}, 2, "'leftover' is not expected"},
  };
  for (const BadOptions& bad : cases) expect_message(bad, run(bad.options));
}

TEST_F(RunVivid, BadConfigurationsGetAClearMessage) {
  const BadOptions cases[] = {
      {{"--threads", "-1"}, 2, "out of range: 0.."},
      {{"--threads", "9", "--cores", "2"}, 1, "1 to 3"},
      {{"--device", "gpu"}, 2, "none of auto, cpu and opencl"},
      {{"--device", "cpu", "--mapping", "ccc"}, 2, "use one of them"},
      {{"--mapping", "cc"}, 1, "3 stages"},
      {{"--mapping", "cxc"}, 1, "cxc"},
      {{"--granularity", "fine"}, 2, "not a valid value"},
      {{"--stages", "vividfliter"}, 2, "vividfliter"},
      {{"--stages", "vividhistogram"}, 1, "vividfilter"},
      {{"--stages", "identity"}, 2, "identity"},
      {{"--model", path("none.vivid")}, 1, "none.vivid"},
      {{"--model", video_}, 1, "video.avi"},
  };
  for (const BadOptions& bad : cases) expect_message(bad, run(bad.options));
}

TEST_F(RunVivid, BadOutputsGetAClearMessage) {
  const BadOptions cases[] = {
      {{"--output", path("no/such/o.mkv")}, 1, "mkdir -p"},
      {{"--output", folder_}, 1, "is a folder"},
      {{"--output", path("o.txt")}, 2, ".mkv"},
      {{"--output", "/proc/tandem.mkv"}, 1, "/proc/tandem.mkv"},
      {{"--output", video_}, 2, "overwrite the input"},
      {{"--metadata", path("no/m.jsonl")}, 1, "mkdir -p"},
      {{"--metadata", video_}, 2, "--metadata would overwrite the input"},
      {{"--metadata", path("o.mkv"), "--output", path("o.mkv")}, 2, "name the same file"},
      {{"--metadata", "/proc/m.jsonl"}, 1, "/proc/m.jsonl"},
      {{"--pictures", path("no")}, 1, "mkdir -p"},
  };
  const std::string before = read_file(video_);
  for (const BadOptions& bad : cases) expect_message(bad, run(bad.options));
  EXPECT_EQ(read_file(video_), before);
  EXPECT_EQ(run({"--metadata", video_}, "file://" + video_).status, 2) << "the same by its URI";
  EXPECT_EQ(read_file(video_), before);
}

TEST(Tandem, CommandsAndVersion) {
  const CommandResult version = run_tandem({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.output.rfind("tandem ", 0), 0u);
  for (const char* word : {"help", "--help"}) {
    const CommandResult help = run_tandem({word});
    EXPECT_EQ(help.status, 0);
    for (const char* name : {"run", "bench", "doctor", "train-detector", "evaluate-detector"}) {
      EXPECT_NE(help.output.find(name), std::string::npos) << name;
    }
  }
  EXPECT_EQ(run_tandem({}).status, 2);
  expect_message({{"doktor"}, 2, "did you mean 'doctor'?"}, run_tandem({"doktor"}));
  expect_message({{"vivit"}, 2, "did you mean 'vivid'?"}, run_tandem({"run", "vivit"}));
  expect_message({{"run"}, 2, "run vivid"}, run_tandem({"run"}));
  EXPECT_EQ(run_tandem({"help", "bench"}).status, 0);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
