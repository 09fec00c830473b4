// SPDX-License-Identifier: LGPL-2.1-or-later
// Which video `tandem run` reads, and how much of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kernels/network/have_networks.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

class RunInput : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    video_ = path("video.avi");
    make_video(video_, 20, 160, 144);
  }
  void TearDown() override { fs::remove_all(folder_); }

  CommandResult run(std::vector<std::string> options, const std::string& input) {
    std::vector<std::string> words = {"run", "tracking", "--device", "cpu", "--input", input};
    words.insert(words.end(), options.begin(), options.end());
    return run_tandem(words);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_, video_;
};

// Like a URI, and yet the name of a file.
TEST_F(RunInput, AFileMayHaveAColonInItsName) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  for (const std::string& name : {std::string("gate:12.avi"), std::string("file:a.avi")}) {
    fs::copy_file(video_, path(name));
    const CommandResult result = run({"--frames", "3"}, name);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(run({"--metadata", name}, name).status, 2) << "it would overwrite the input";
  }
  fs::current_path(before);
}

TEST_F(RunInput, AMissingModelIsNoFaultOfTheVideo) {
  const std::string model = path("nowhere.onnx");
  const CommandResult result = run_tandem({"run", "network", "--model", model, "--input", video_});
  EXPECT_EQ(result.status, 1) << result.errors;
  EXPECT_EQ(result.errors.find(video_), std::string::npos) << result.errors;
}

TEST_F(RunInput, InspectModelChecksTheModelInformation) {
  const char* const data = std::getenv("TANDEM_TEST_DATA");
  if (!network::kHaveNetworks || !data) GTEST_SKIP() << "needs networks and TANDEM_TEST_DATA";
  fs::copy_file(std::string(data) + "/models/nanodet-416.onnx", path("net.onnx"));
  std::ofstream(path("net.onnx.modelinfo")) << "[tandem]\ndecoder=yolov8\nlabels=person\n";
  const CommandResult result =
      run_tandem({"inspect-model", "--opencl-device", "none", path("net.onnx")});
  EXPECT_NE(result.output.find("has 120 classes, but 1 are named"), std::string::npos)
      << result.output << result.errors;
}

TEST_F(RunInput, SoundAloneIsNoVideo) {
  for (const std::string coding : {"vorbisenc ! oggmux", "wavenc", "vorbisenc ! matroskamux"}) {
    play_file("audiotestsrc num-buffers=20 ! " + coding + " ! filesink name=file", path("sound"));
    const CommandResult result = run({}, path("sound"));
    EXPECT_EQ(result.status, 1) << coding;
    EXPECT_NE(result.errors.find("holds no video"), std::string::npos) << coding << result.errors;
  }
}

TEST_F(RunInput, VideoWithoutADecoderIsNotPassedOver) {
  play_file(
      "audiotestsrc num-buffers=20 ! vorbisenc ! mux. videotestsrc num-buffers=20 ! theoraenc ! "
      "oggmux name=mux ! filesink name=file",
      path("in.ogv"));
  setenv("GST_PLUGIN_FEATURE_RANK", "theoradec:NONE,avdec_theora:NONE", 1);
  const CommandResult result = run({}, path("in.ogv"));
  unsetenv("GST_PLUGIN_FEATURE_RANK");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find("cannot be decoded here"), std::string::npos) << result.errors;
  EXPECT_EQ(result.errors.find("streamheader"), std::string::npos) << result.errors;
}

TEST_F(RunInput, ACutOffFileIsWholeWhereItsEndIsNotAsked) {
  const std::string bytes = read_file(video_), cut = path("cut.avi");
  write_file(cut, bytes.substr(0, bytes.size() * 3 / 4));
  EXPECT_EQ(run({}, cut).status, 1);
  EXPECT_EQ(run({"--frames", "3"}, cut).status, 0);
}

TEST_F(RunInput, AFileThatEndsInItsHeadersIsNamed) {
  play_file("videotestsrc num-buffers=5 ! jpegenc ! matroskamux ! filesink name=file",
            path("whole"));
  write_file(path("cut"), read_file(path("whole")).substr(0, 300));
  const CommandResult result = run({}, path("cut"));
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find("'" + path("cut") + "'"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace tandem::test
