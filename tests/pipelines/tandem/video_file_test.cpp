// SPDX-License-Identifier: LGPL-2.1-or-later
// Every way to write a video, in this process and through the command: what is sent is in the file.
#include "pipelines/tandem/output/video_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "pipelines/tandem/input/input_uri.h"
#include "pipelines/tandem/input/source.h"
#include "pipelines/tandem/output/output_pipeline.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/pipeline/tandembin.h"
#include "tests/pipelines/jobs/json_frames.h"
#include "tests/pipelines/support/clips.h"
#include "tests/pipelines/support/command.h"
#include "tests/pipelines/support/decoded.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

void write_video(const std::string& input, VideoFile& file) {
  OutputPipeline output("it cannot be written", file.description());
  file.watch(output.elements());
  Pipeline pipeline(gst_pipeline_new("write"));
  GstElement* source = pipeline.add(make_source(input_uri(input), std::nullopt));
  GstElement* sink = pipeline.add(make_element("fakesink"));
  Pipeline::link(source, sink);
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(source, "src"));
  output.take_from(pad.get());
  play(pipeline, input, {[] {}, [] {}});
  if (const auto failure = output.take_error()) ADD_FAILURE() << failure->what() << failure->advice;
  output.stop();
}

// `file` holds the frames of `input`, each as far from the first as there.
void expect_same_frames(const std::string& input, const std::string& file) {
  const std::vector<uint64_t> wanted = decode_file(input).times_ns,
                              found = decode_file(file).times_ns;
  ASSERT_GT(wanted.size(), 1U) << input;
  ASSERT_EQ(found.size(), wanted.size()) << file;
  if (!stores_times(fs::path(file).extension().string())) return;
  constexpr double kRoundedNs = 2e6;  // Matroska stores milliseconds
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(found[i] - found[0], wanted[i] - wanted[0], kRoundedNs) << "frame " << i;
  }
}

class VideoFileTest : public testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder_;
};

// One case for each way to write, whether it is the preferred one of its extension here or not.
class EveryEncoding : public VideoFileTest, public testing::WithParamInterface<std::size_t> {};

TEST_P(EveryEncoding, HoldsEveryFrame) {
  const Encoding& encoding = encodings()[GetParam()];
  if (!is_available(encoding))
    GTEST_SKIP() << "needs GStreamer's elements of " << encoding.description;
  for (const Clip& clip : clips()) {
    SCOPED_TRACE(std::string(clip.name) + " -> " + encoding.description);
    if (!can_make(clip)) continue;
    const std::string input = folder_ + "/in-" + clip.name;
    make_clip(clip, input);
    VideoFile file(folder_ + "/out" + encoding.extension, encoding, std::nullopt);
    write_video(input, file);
    EXPECT_NO_THROW(file.check());
    EXPECT_EQ(file.frames_sent(), decode_file(input).times_ns.size());
    expect_same_frames(input, folder_ + "/out" + encoding.extension);
  }
}

// JPEGs in a row state neither times nor a rate; neither does a photograph.
TEST_P(EveryEncoding, HoldsFramesThatCameWithoutTimes) {
  const Encoding& encoding = encodings()[GetParam()];
  if (!is_available(encoding))
    GTEST_SKIP() << "needs GStreamer's elements of " << encoding.description;
  for (const auto& [name, frames] : {std::pair("in.mjpeg", 20U), {"in.jpg", 1U}}) {
    SCOPED_TRACE(std::string(name) + " -> " + encoding.description);
    const std::string input = folder_ + "/" + name, output = folder_ + "/out" + encoding.extension;
    play_file("videotestsrc pattern=ball num-buffers=" + std::to_string(frames) +
                  " ! video/x-raw,format=I420,width=64,height=48 ! jpegenc ! filesink name=file",
              input);
    VideoFile file(output, encoding, std::nullopt);
    write_video(input, file);
    EXPECT_NO_THROW(file.check());
    const std::vector<uint64_t> times = decode_file(output).times_ns;
    ASSERT_EQ(times.size(), frames);
    for (std::size_t i = 0; i < frames; ++i) EXPECT_NEAR(times[i] - times[0], i * 4e7, 2e6) << i;
  }
}

// 10 frames of each form in one file without a container.
void make_changing(const std::string& path, const std::vector<std::string>& forms) {
  const bool jpeg = path.ends_with(".mjpeg");
  std::string bytes;
  for (const std::string& form : forms) {
    play_file("videotestsrc pattern=ball num-buffers=10 ! video/x-raw,format=I420," + form +
                  (jpeg ? " ! jpegenc"
                        : " ! x264enc bframes=0 key-int-max=5 ! h264parse ! "
                          "video/x-h264,stream-format=byte-stream") +
                  " ! filesink name=file",
              path);
    bytes += read_file(path);
  }
  write_file(path, bytes);
}

TEST_P(EveryEncoding, KeepsTheFirstSizeAndRate) {
  const Encoding& encoding = encodings()[GetParam()];
  if (!is_available(encoding))
    GTEST_SKIP() << "needs GStreamer's elements of " << encoding.description;
  const std::string base = "width=96,height=80,framerate=25/1,pixel-aspect-ratio=1/1";
  const std::pair<const char*, std::string> changes[] = {
      {"size.mjpeg", "width=64,height=112,framerate=25/1"},
      {"size.h264", "width=64,height=112,framerate=25/1,pixel-aspect-ratio=1/1"},
      {"odd.mjpeg", "width=63,height=81,framerate=25/1"},
      {"rate.h264", "width=96,height=80,framerate=50/1,pixel-aspect-ratio=1/1"},
      {"ratio.h264", "width=96,height=80,framerate=25/1,pixel-aspect-ratio=2/1"}};
  for (const auto& [name, other] : changes) {
    SCOPED_TRACE(std::string(name) + " -> " + encoding.description);
    const std::string input = folder_ + "/" + name, output = folder_ + "/out" + encoding.extension;
    if (!can_make({name, input.ends_with("h264") ? "x264enc" : ""})) continue;
    make_changing(input, {base, other, base});
    VideoFile file(output, encoding, std::nullopt);
    write_video(input, file);
    EXPECT_NO_THROW(file.check());
    EXPECT_EQ(file.frames_sent(), 30U);
    EXPECT_EQ(count_frames(output), 30);
    EXPECT_EQ(decode_file(output).sizes(), std::vector<std::string>{"96x80"});
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryEncoding, testing::Range(std::size_t{0}, encodings().size()));

// The command, with the encoder that it prefers here.
class RunWrites : public VideoFileTest,
                  public testing::WithParamInterface<std::tuple<const char*, std::size_t>> {};

TEST_P(RunWrites, EveryFrame) {
  const auto& [extension, number] = GetParam();
  const Clip& clip = clips()[number];
  if (!can_make(clip)) GTEST_SKIP() << "needs gstreamer1.0-plugins-ugly";
  const std::string input = folder_ + "/in-" + clip.name, output = folder_ + "/out" + extension;
  make_clip(clip, input);
  const CommandResult result =
      run_tandem({"run", "tracking", "--input", input, "--output", output});
  EXPECT_EQ(result.status, 0) << result.errors;
  expect_same_frames(input, output);
}

constexpr const char* kContainers[] = {".avi", ".mkv", ".mp4", ".mov", ".webm"};

INSTANTIATE_TEST_SUITE_P(All, RunWrites,
                         testing::Combine(testing::ValuesIn(kContainers),
                                          testing::Range(std::size_t{0}, clips().size())));

// H.264 as cameras and phones make it.
TEST_F(VideoFileTest, RealClips) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (!data) GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/clips";
  constexpr int kFrames = 40;
  for (const char* name : {"mot16-09_1080p30_100f.mp4", "one-by-one-person-detection.mp4",
                           "tud-stadtmitte_600x416p25_179f.mp4"}) {
    for (const char* extension : kContainers) {
      const std::string output = folder_ + "/out" + extension;
      const CommandResult result =
          run_tandem({"run", "tracking", "--input", std::string(data) + "/clips/" + name, "--size",
                      "320x240", "--frames", std::to_string(kFrames), "--output", output});
      EXPECT_EQ(result.status, 0) << name << extension << ": " << result.errors;
      EXPECT_EQ(decode_file(output).times_ns.size(), std::size_t{kFrames}) << name << extension;
    }
  }
}

class EveryApplication : public VideoFileTest, public testing::WithParamInterface<const char*> {};

// A size that encoders do not take, sizes that are scaled to, and pictures.
TEST_P(EveryApplication, FindsTheSameWhateverIsWritten) {
  const char* shipped = std::getenv("TANDEM_SHIPPED");
  ASSERT_TRUE(shipped);
  const std::string input = folder_ + "/in.avi", json = folder_ + "/out.jsonl";
  play_file(
      "videotestsrc pattern=ball num-buffers=8 ! "
      "video/x-raw,format=I420,framerate=25/1,width=161,height=163 ! jpegenc ! avimux ! "
      "filesink name=file",
      input);
  setenv("TANDEM_DATA_DIR", shipped, 1);
  const auto run = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words = {"run",      GetParam(), "--input",    input,
                                      "--device", "cpu",      "--metadata", json};
    if (GetParam() == std::string("vivid")) words.insert(words.end(), {"--threshold", "0"});
    words.insert(words.end(), options.begin(), options.end());
    const CommandResult result = run_tandem(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return comparable(read_file(json));
  };
  for (const std::vector<std::string>& analysed :
       {std::vector<std::string>{}, {"--size", "145x151"}}) {
    const auto wanted = run(analysed);
    EXPECT_EQ(wanted.size(), 8U);
    for (const std::vector<std::string>& written : std::vector<std::vector<std::string>>{
             {"--output", folder_ + "/o.mp4"},
             {"--output", folder_ + "/o.mkv", "--output-size", "96x80"},
             {"--output", folder_ + "/o.avi", "--output-size", "320x240"},
             {"--output", folder_ + "/o.webm", "--output-size", "41x43"},
             {"--pictures", folder_}}) {
      std::vector<std::string> options = analysed;
      options.insert(options.end(), written.begin(), written.end());
      EXPECT_EQ(run(options), wanted) << testing::PrintToString(options);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryApplication,
                         testing::Values("vivid", "srad", "tracking", "scene"));

// The window, the video and the lines are independent: what fails is told, the others go on.
TEST_F(VideoFileTest, AnOutputThatFailsEndsAlone) {
  const std::string input = folder_ + "/in.avi", json = folder_ + "/out.jsonl";
  make_video(input, 20, 64, 48);
  for (const char* extension : {".mkv", ".avi", ".webm"}) {
    const std::string output = folder_ + "/full" + extension;
    fs::create_symlink("/dev/full", output);
    const CommandResult result =
        run_tandem({"run", "tracking", "--input", input, "--output", output, "--metadata", json});
    EXPECT_EQ(result.status, 1) << result.errors;
    EXPECT_NE(result.errors.find("'" + output + "' cannot be written"), std::string::npos)
        << result.errors;
    EXPECT_EQ(comparable(read_file(json)).size(), 20U) << result.errors;
    EXPECT_NE(result.output.find("64x48: 20 frames"), std::string::npos) << result.output;
  }
}

// An encoder that loses frames.
void expect_failure(const char* description, const char* says, const std::string& folder) {
  const std::string input = folder + "/in.avi", output = folder + "/out.avi";
  make_video(input, 20, 64, 48);
  const Encoding encoding{".avi", description, ""};
  VideoFile file(output, encoding, std::nullopt);
  write_video(input, file);
  try {
    file.check();
    ADD_FAILURE() << description << ": no error";
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find(says), std::string::npos) << failure.what();
    EXPECT_NE(std::string(failure.what()).find(output), std::string::npos) << failure.what();
    EXPECT_FALSE(failure.advice.empty());
  }
}

TEST_F(VideoFileTest, AFileWithFewerFramesIsAnError) {
  expect_failure("jpegenc ! identity drop-probability=0.5 ! avimux", "of the 20 frames", folder_);
}

TEST_F(VideoFileTest, AFileWithoutFramesIsAnError) {
  expect_failure("jpegenc ! identity drop-probability=1 ! avimux", "cannot be read again", folder_);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
