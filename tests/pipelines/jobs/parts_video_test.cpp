// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts of real files: B-frames, open groups of pictures, frame rates that vary, files without an
// index. The lines of all parts are those of the whole.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "pipelines/jobs/parts/parts.h"
#include "pipelines/jobs/worker/job_pipeline.h"
#include "pipelines/tandem/input/input_uri.h"
#include "pipelines/tandem/options/options.h"
#include "tests/pipelines/jobs/json_frames.h"
#include "tests/pipelines/support/clips.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

#define BALL "videotestsrc pattern=ball num-buffers=60 ! video/x-raw,format=I420,width=64,height=48"
#define EVEN BALL ",framerate=25/1"

struct Video {
  Clip clip;
  bool is_cut;
};

constexpr Video kVideos[] = {
    {{"closed.mp4", EVEN " ! x264enc key-int-max=7 bframes=0 ! mp4mux"}, true},
    {{"bframes.mp4", EVEN " ! x264enc key-int-max=9 bframes=3 b-adapt=false ! mp4mux"}, true},
    {{"open.mp4", EVEN " ! x264enc key-int-max=10 bframes=3 b-adapt=false "
                       "option-string=open-gop=1:b-pyramid=normal ! mp4mux"},
     true},
    {{"open.mkv", EVEN " ! x264enc key-int-max=10 bframes=3 b-adapt=false "
                       "option-string=open-gop=1 ! matroskamux"},
     true},
    {{"gaps.mp4", "audiotestsrc num-buffers=100 ! lamemp3enc ! mux. " EVEN
                  " ! identity name=gaps ! x264enc key-int-max=5 bframes=3 ! mp4mux name=mux"},
     true},
    {{"gaps.mkv", EVEN " ! identity name=gaps ! x264enc key-int-max=5 bframes=2 ! matroskamux"},
     true},
    {{"ntsc.mov", BALL ",framerate=30000/1001 ! x264enc key-int-max=8 bframes=2 ! qtmux"}, true},
    {{"vp8.webm", EVEN " ! vp8enc keyframe-max-dist=8 deadline=1 auto-alt-ref=true "
                       "lag-in-frames=5 ! webmmux"},
     true},
    {{"vp9.webm", EVEN " ! vp9enc keyframe-max-dist=8 deadline=1 auto-alt-ref=true "
                       "lag-in-frames=5 ! webmmux"},
     true},
    {{"vp9.mkv", EVEN " ! vp9enc keyframe-max-dist=10 deadline=1 ! matroskamux"}, true},
    {{"h265.mp4", EVEN " ! x265enc speed-preset=ultrafast key-int-max=9 "
                       "option-string=bframes=0 ! h265parse ! mp4mux"},
     true},
    {{"h265open.mkv",
      EVEN " ! x265enc speed-preset=ultrafast key-int-max=10 "
           "option-string=bframes=3:b-adapt=0:open-gop=1 ! h265parse ! matroskamux"},
     true},
    {{"av1.mkv", EVEN " ! av1enc keyframe-max-dist=9 cpu-used=8 lag-in-frames=0 ! av1parse ! "
                      "matroskamux"},
     true},
    {{"av1alt.webm", EVEN " ! av1enc keyframe-max-dist=12 cpu-used=8 lag-in-frames=19 ! av1parse ! "
                          "webmmux"},
     true},
    {{"turned.mp4", EVEN " ! x264enc key-int-max=8 bframes=0 ! mp4mux"}, true},
    {{"wide.mkv", EVEN ",pixel-aspect-ratio=2/1 ! jpegenc ! matroskamux"}, true},
    {{"h264.ts", EVEN " ! x264enc key-int-max=8 bframes=2 ! mpegtsmux"}, false},
    {{"h265.ts", EVEN " ! x265enc speed-preset=ultrafast key-int-max=8 ! mpegtsmux"}, false},
    {{"jpeg.avi", EVEN " ! jpegenc ! avimux"}, true},
    {{"raw.y4m", EVEN " ! y4menc"}, false},
    {{"one.mp4", EVEN " ! x264enc key-int-max=100 ! mp4mux"}, false},
};

class PartsOf : public testing::TestWithParam<Video> {};

std::string play(const std::string& uri, const Part& part) {
  BinSettings machine;
  machine.device = "cpu";
  machine.adapt = "off";
  machine.knowledge = "off";
  std::string text;
  EXPECT_TRUE(
      play_job({"1.0", {uri, "scene", {}}, part}, machine, InputRules(),
               {[&](const std::string& line) { text += line; }, [] { return false; }, [] {}}));
  return text;
}

TEST_P(PartsOf, AVideoAreTheWhole) {
  const auto& [clip, is_cut] = GetParam();
  if (!can_make(clip))
    GTEST_SKIP() << "needs gstreamer1.0-plugins-ugly and gstreamer1.0-plugins-bad";
  const std::string path = fresh_folder() + "/" + clip.name;
  make_clip(clip, path);
  if (clip.name == std::string("turned.mp4")) {
    std::string bytes = read_file(path);
    turn_by_tag(bytes, 1);
    write_file(path, bytes);
  }
  const std::string uri = input_uri(path);
  const VideoIndex index = index_video(uri);
  const std::vector<Part> parts = cut(index, 300'000'000);
  EXPECT_EQ(parts.size() > 1, is_cut) << index.why_whole;
  const std::string whole = play(uri, {});
  if (is_cut) {
    EXPECT_EQ(index.frames.size(), comparable(whole).size());
  }
  std::string text;
  for (const Part& part : parts) text += play(uri, part);
  EXPECT_EQ(comparable(text), comparable(whole));
  const CommandResult run = run_tandem(
      {"run", "scene", "--input", path, "--device", "cpu", "--metadata", path + ".jsonl"});
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(comparable(text), comparable(read_file(path + ".jsonl")));
}

INSTANTIATE_TEST_SUITE_P(All, PartsOf, testing::ValuesIn(kVideos), [](const auto& one) {
  std::string name = one.param.clip.name;
  name[name.find('.')] = '_';
  return name;
});

TEST(Parts, AStreamOfBytesIsNotCut) {
  const Clip clip{"bytes.avi", EVEN " ! x264enc key-int-max=8 bframes=0 ! avimux"};
  if (!can_make(clip)) GTEST_SKIP() << "needs gstreamer1.0-plugins-ugly";
  const std::string path = fresh_folder() + "/" + clip.name;
  make_clip(clip, path);
  EXPECT_NE(index_video(input_uri(path)).why_whole.find("stream of bytes"), std::string::npos);
}

// A file that changed since it was submitted, say: what comes is not what was expected.
TEST(Parts, FramesThatAreNotThereAreAFailure) {
  const std::string path = fresh_folder() + "/a.avi";
  make_video(path, 20, 64, 48);
  for (const Part part :
       {Part{0, 11, {}, 400'000'000, 0}, Part{10, 5, 400'000'000, {}, 400'000'000},
        Part{10, {}, 410'000'000, {}, 410'000'000},
        Part{99, {}, 9'000'000'000, {}, 9'000'000'000}}) {
    BinSettings machine;
    machine.device = "cpu";
    EXPECT_THROW(play_job({"1.0", {input_uri(path), "scene", {}}, part}, machine, InputRules(),
                          {[](const std::string&) {}, [] { return false; }, [] {}}),
                 Failure)
        << part.first_frame << " " << part.start_ns.value_or(0);
  }
}

// Files that keep no times, or no times of frames, are looked at without a complaint of GLib.
TEST(Parts, WithoutTimesThereIsOnePart) {
  const std::string folder = fresh_folder();
  const auto fail = [](const gchar*, GLogLevelFlags, const gchar* text, gpointer) {
    ADD_FAILURE() << text;
  };
  const GLogFunc before = g_log_set_default_handler(fail, nullptr);
  for (const auto& [name, frames] :
       {std::pair("photo.jpg", "1"), {"photos.mjpeg", "20"}, {"photo.png", "1"}}) {
    const std::string path = folder + "/" + name;
    play_file("videotestsrc num-buffers=" + std::string(frames) + " ! video/x-raw,format=RGB ! " +
                  (path.ends_with("png") ? "pngenc" : "videoconvert ! jpegenc") +
                  " ! filesink name=file",
              path);
    const VideoIndex index = index_video(input_uri(path));
    EXPECT_EQ(cut(index, 1).size(), 1U) << name;
    check_video(input_uri(path));
  }
  g_log_set_default_handler(before, nullptr);
}

TEST(Parts, AFileWithoutVideoIsAFailure) {
  const std::string folder = fresh_folder();
  write_file(folder + "/text.mp4", "no video");
  EXPECT_THROW(index_video(input_uri(folder + "/text.mp4")), Failure);
  EXPECT_THROW(check_video(input_uri(folder + "/text.mp4")), Failure);
  play_file("audiotestsrc num-buffers=20 ! wavenc ! filesink name=file", folder + "/sound.wav");
  EXPECT_THROW(index_video(input_uri(folder + "/sound.wav")), Failure);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
