// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that elements of GStreamer make, in the page-locked memory that tandembin offers them.
#include <cstring>
#include <memory>

#include "tests/gst/support/page_locked.h"

namespace tandem::test {
namespace {

class Upstream : public PageLocked {
 protected:
  static std::unique_ptr<Stream> play(const std::string& source, const std::string& behind = "") {
    auto stream = Stream::of(source + " ! " + bin("mapping=ggg threads=1", "scales=1") + behind +
                             " ! appsink name=sink sync=false max-buffers=4");
    stream->play();
    return stream;
  }
  static std::unique_ptr<Stream> endless(const std::string& properties) {
    auto stream = Stream::of("videotestsrc ! " + caps_text({}) + " ! " + bin(properties) +
                             " ! appsink name=sink sync=false max-buffers=1");
    stream->play();
    return stream;
  }
  static void expect_all_ours(const std::string& source, int frames,
                              const std::string& behind = "") {
    SCOPED_TRACE(source + behind);
    const auto stream = play(source, behind);
    EXPECT_EQ(static_cast<int>(stream->pull_all().size()), frames);
    EXPECT_EQ(stream->stat("frames-page-locked"), static_cast<uint64_t>(frames));
    EXPECT_TRUE(stream->messages.all(GST_MESSAGE_ERROR).empty());
  }
  static std::string pattern(int width, int height, const std::string& format) {
    return "videotestsrc pattern=smpte75 num-buffers=" + std::to_string(kFrames) +
           " ! video/x-raw,format=" + format + ",width=" + std::to_string(width) +
           ",height=" + std::to_string(height);
  }
};

TEST_F(Upstream, VideoconvertAndSourcesWriteIntoIt) {
  for (const char* behind : {"", " ! tandemoverlay ! videoconvert ! video/x-raw,format=RGB"}) {
    expect_all_ours(pattern(160, 208, "GRAY8"), kFrames, behind);
    expect_all_ours(pattern(160, 208, "RGB") + " ! videoconvert ! video/x-raw,format=I420", kFrames,
                    behind);
    expect_all_ours(pattern(160, 208, "RGB") + " ! videoconvert ! video/x-raw,format=GRAY8 ! queue",
                    kFrames, behind);
  }
}

// Sizes that a decoder pads, and a sink that takes padded frames and one that does not.
TEST_F(Upstream, DecodersWriteIntoIt) {
  for (const char* codec : {"jpegenc ! jpegdec", "avenc_mjpeg ! avdec_mjpeg",
                            "avenc_mpeg4 ! avdec_mpeg4", "x264enc key-int-max=5 ! avdec_h264"}) {
    for (const char* name : {"jpegdec", "avdec_mjpeg", "avdec_mpeg4", "avdec_h264", "x264enc"}) {
      if (std::strstr(codec, name) &&
          !gst_registry_check_feature_version(gst_registry_get(), name, GST_VERSION_MAJOR, 0, 0)) {
        GTEST_SKIP() << "needs GStreamer's element " << name;
      }
    }
    for (const auto& [width, height] : {std::pair{160, 208}, {250, 150}}) {
      const std::string source = pattern(width, height, "I420") + " ! " + codec;
      expect_all_ours(source, kFrames);
      expect_all_ours(source, kFrames, " ! tandemoverlay ! videoconvert ! video/x-raw,format=RGB");
    }
  }
}

// Bytes of whole macroblocks: a decoder leaves padding as it finds it.
TEST_F(Upstream, DecodedFramesAreTheSame) {
  const std::string line = pattern(256, 160, "I420") + " ! jpegenc ! jpegdec";
  const auto got = play(line)->pull_all();
  setenv(kBound, "0", 1);
  const auto ordinary = play(line);
  const auto expected = ordinary->pull_all();
  EXPECT_EQ(ordinary->stat("frames-page-locked"), 0U);
  ASSERT_EQ(got.size(), std::size_t{kFrames});
  for (int i = 0; i < kFrames; ++i) EXPECT_TRUE(got[i].pixels == expected[i].pixels) << i;
}

TEST_F(Upstream, ARealVideoThroughDecodebin) {
  const char* data = std::getenv("TANDEM_TEST_DATA");
  if (!data) GTEST_SKIP() << "needs data: TANDEM_TEST_DATA/clips";
  const auto stream = play("filesrc location=" + std::string(data) +
                               "/clips/tud-stadtmitte_600x416p25_179f.mp4 ! decodebin ! queue",
                           " ! tandemoverlay");
  EXPECT_EQ(stream->pull(60).size(), 60U);
  const uint64_t made = stream->stat("opencl-buffers-made");
  EXPECT_EQ(stream->pull(60).size(), 60U);
  // More frames may be under way at once than before, but not one more with every frame.
  EXPECT_LT(stream->stat("opencl-buffers-made"), made + 60) << "pages are locked again and again";
  EXPECT_GE(stream->stat("frames-page-locked"), 120U);
  EXPECT_TRUE(stream->messages.all(GST_MESSAGE_ERROR).empty());
}

// What runs goes on without adapting, and so does its memory.
TEST_F(Upstream, WhatIsFrozenOnTheDeviceKeepsItsMemory) {
  const auto stream = endless("mapping=ggg threads=1 adapt=off");
  EXPECT_EQ(stream->pull(5).size(), 5U);
  g_object_set(stream->tandembin(), "mapping", "auto", nullptr);
  BufferRef last;
  for (int i = 0; i < 30; ++i) last.reset(stream->pull_buffer());
  ASSERT_TRUE(last);
  EXPECT_EQ(stream->configuration().substr(0, 3), "ggg");
  EXPECT_TRUE(is_ours(last.get()));
}

// A change of the mapping makes upstream ask again.
TEST_F(Upstream, AChangedMappingChangesTheMemory) {
  const auto stream = endless("mapping=ccc threads=1");
  const auto wait_for = [&](bool ours) {
    for (int i = 0; i < 200; ++i) {
      const BufferRef buffer(stream->pull_buffer());
      if (!buffer || is_ours(buffer.get()) == ours) return static_cast<bool>(buffer);
    }
    return false;
  };
  EXPECT_TRUE(wait_for(false));
  g_object_set(stream->tandembin(), "mapping", "gcc", nullptr);
  EXPECT_TRUE(wait_for(true)) << "no frame came in page-locked memory";
  g_object_set(stream->tandembin(), "mapping", "ccc", nullptr);
  EXPECT_TRUE(wait_for(false)) << "frames go on to come in page-locked memory";
  g_object_set(stream->tandembin(), "mapping", "ccg", nullptr);
  EXPECT_TRUE(wait_for(true)) << "no frame came in page-locked memory";
}

TEST_F(Upstream, AChangedSizeChangesThePool) {
  auto stream =
      Stream::of("videotestsrc ! capsfilter name=size caps=" + caps_text({}) + " ! " +
                 bin("mapping=ggg threads=1") + " ! appsink name=sink sync=false max-buffers=1");
  stream->play();
  for (const Size size : {Size{}, {320, 240}, {64, 128}, {}}) {
    const CapsRef caps(gst_caps_from_string(caps_text(size).c_str()));
    g_object_set(stream->element("size"), "caps", caps.get(), nullptr);
    const gsize bytes = static_cast<gsize>(size.width) * size.height;
    bool came = false;
    for (int i = 0; i < 200 && !came; ++i) {
      const BufferRef buffer(stream->pull_buffer());
      ASSERT_TRUE(buffer);
      EXPECT_TRUE(is_ours(buffer.get()));
      came = gst_buffer_get_size(buffer.get()) == bytes;
    }
    EXPECT_TRUE(came) << size.width;
  }
}

TEST_F(Upstream, AFlushChangesNothing) {
  Stream stream("videoconvert ! video/x-raw,format=I420 ! " + bin("mapping=ggg threads=1"));
  stream.play();
  for (int round = 0; round < 3; ++round) {
    stream.push(0, 5);
    EXPECT_EQ(stream.pull(5).size(), 5U);
    GstElement* source = stream.element("source");
    gst_element_send_event(source, gst_event_new_flush_start());
    gst_element_send_event(source, gst_event_new_flush_stop(TRUE));
    // A frame is counted once it is inside, and may be out before that: the flush waits for both.
    EXPECT_EQ(stream.stat("frames-page-locked"), 5U * (round + 1));
  }
}

}  // namespace
}  // namespace tandem::test
