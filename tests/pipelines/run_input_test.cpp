// SPDX-License-Identifier: LGPL-2.1-or-later
// Which video `tandem run` reads, and how much of it.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/pipelines/command.h"
#include "tests/pipelines/jobs/json_frames.h"

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

TEST_F(RunInput, PreviewsArePassedOver) {
  const std::string photo = "num-buffers=1 ! video/x-raw,width=320,height=240,framerate=0/1",
                    sparse = "num-buffers=2 ! video/x-raw,width=64,height=48,framerate=1/10",
                    small = "num-buffers=20 ! video/x-raw,width=64,height=48,framerate=25/1";
  const std::string input = path("previews.mkv");
  for (const auto& [muxer, preview] : {std::pair("matroskamux", photo),
                                       {"qtmux", photo},
                                       {"matroskamux", sparse},
                                       {"matroskamux", small},
                                       {"qtmux", small}}) {
    play_file(std::string(muxer) + " name=mux ! filesink name=file videotestsrc " + preview +
                  " ! jpegenc ! mux.video_0 videotestsrc num-buffers=20 ! "
                  "video/x-raw,width=160,height=144,framerate=25/1 ! jpegenc ! mux.video_1",
              input);
    const CommandResult result = run({}, input);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_NE(result.output.find("160x144: 20 frames"), std::string::npos)
        << preview << muxer << result.output;
  }
}

TEST_F(RunInput, TellsHowMuchOfACutOffFileIsMissing) {
  for (const std::string muxer : {"avimux", "matroskamux", "qtmux faststart=true"}) {
    const std::string whole = path("whole"), cut = path("cut");
    play_file(
        "videotestsrc num-buffers=20 ! video/x-raw,width=160,height=144,framerate=25/1 ! "
        "jpegenc ! " +
            muxer + " ! filesink name=file",
        whole);
    const std::string bytes = read_file(whole);
    write_file(cut, bytes.substr(0, bytes.size() * 3 / 4));
    EXPECT_EQ(run({}, whole).status, 0) << muxer;
    const CommandResult result = run({"--metadata", path("m.jsonl")}, cut);
    EXPECT_EQ(result.status, 1) << muxer << result.output;
    EXPECT_NE(result.errors.find("cut short: 25.0% of it is missing"), std::string::npos)
        << muxer << result.errors;
    EXPECT_GT(comparable(read_file(path("m.jsonl"))).size(), 10U) << muxer;
    EXPECT_EQ(run({"--frames", "3"}, cut).status, 0) << muxer << ": what was asked for is there";
  }
}

}  // namespace
}  // namespace tandem::test
