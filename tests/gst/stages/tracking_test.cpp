// SPDX-License-Identifier: LGPL-2.1-or-later
// The tracking stages: motion vectors on every frame but the first, the same in every
// configuration, joined into tracks.
#include <gst/check/gstharness.h>
#include <gst/tandem/motionmeta.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "model/configuration.h"
#include "tests/gst/support/breaks.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{200, 160};
constexpr float kMotionX = 2, kMotionY = -1;  // pixels a frame
constexpr char kStagesOnCpu[] =
    "kltpyramid device=cpu ! kltfeatures device=cpu ! kltflow device=cpu ! klttracks";

std::string tracking_bin(const std::string& properties = "", const std::string& features = "") {
  return "tandembin name=tandembin0 cores=2 adapt=off opencl-device=any " + properties +
         " stages=\"kltpyramid ! kltfeatures " + features + " ! kltflow ! klttracks\"";
}

/// The stages alone, and in a bin of every kind.
std::vector<std::string> every_kind() {
  std::vector<std::string> lines{kStagesOnCpu};
  for (const char* properties : {"threads=1", "threads=3", "granularity=mg"})
    lines.push_back(tracking_bin(properties));
  if (!have_opencl_device()) return lines;
  for (const char* mapping : {"mapping=gggc threads=2", "mapping=cgcc granularity=mg"})
    lines.push_back(tracking_bin(mapping));
  return lines;
}

void set_caps(const Harness& harness, Size size) {
  gst_harness_set_src_caps_str(harness.get(), caps_text(size).c_str());
}

Harness start(const std::string& line, Size size = kSize) {
  Harness harness(gst_harness_new_parse(line.c_str()));
  set_caps(harness, size);
  return harness;
}

/// Soft bumps that move from frame to frame.
GstBuffer* frame(int index, Size size = kSize) {
  const auto w = static_cast<gsize>(size.width), h = static_cast<gsize>(size.height);
  GstBuffer* buffer = make_frame(index, size);
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  const std::size_t stride = map.size / h;
  for (std::size_t y = 0; y < h; ++y) {
    for (std::size_t x = 0; x < w; ++x) {
      const double u = static_cast<double>(x) - kMotionX * index;
      const double v = static_cast<double>(y) - kMotionY * index;
      const double level = 128 + 50 * std::sin(u * 0.23 + std::sin(v * 0.11)) +
                           50 * std::sin(v * 0.19 + std::cos(u * 0.07));
      map.data[y * stride + x] = static_cast<guint8>(level);
    }
  }
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

struct Tracked {
  int index = -1;
  std::vector<GstTandemMotionVector> vectors;
};

/// Takes over the buffer.
Tracked read(GstBuffer* buffer) {
  if (!buffer) return {};
  Tracked tracked;
  tracked.index = read_result(buffer).index;
  // The plugin's own registration of the type: this program has none.
  if (GstMeta* meta = gst_buffer_get_meta(buffer, g_type_from_name("GstTandemMotionMetaAPI"))) {
    const auto* motion = reinterpret_cast<GstTandemMotionMeta*>(meta);
    tracked.vectors.assign(motion->vectors, motion->vectors + motion->count);
  }
  gst_buffer_unref(buffer);
  return tracked;
}

Tracked pull(const Harness& harness) { return read(gst_harness_pull(harness.get())); }

std::vector<Tracked> track(const Harness& harness, int first, int last, Size size = kSize) {
  std::vector<Tracked> all;
  for (int i = first; i < last; ++i) gst_harness_push(harness.get(), frame(i, size));
  for (int i = first; i < last; ++i) all.push_back(pull(harness));
  return all;
}

void expect_motion(const Tracked& tracked) {
  EXPECT_GE(tracked.vectors.size(), 10U);
  for (const GstTandemMotionVector& v : tracked.vectors) {
    EXPECT_NEAR(v.dx, kMotionX, 0.2);  // the stop is at steps of 0.17 pixels
    EXPECT_NEAR(v.dy, kMotionY, 0.2);
  }
}

TEST(Tracking, EveryFrameButTheFirstHasVectors) {
  const Harness harness = start(kStagesOnCpu);
  const std::vector<Tracked> all = track(harness, 0, 6);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(all[i].index, i);
  EXPECT_TRUE(all[0].vectors.empty());
  for (int i = 1; i < 6; ++i) expect_motion(all[i]);
}

TEST(Tracking, TracksGoOn) {
  const Harness harness = start(kStagesOnCpu);
  const std::vector<Tracked> all = track(harness, 0, 8);
  std::map<guint32, GstTandemMotionVector> last;
  std::size_t gone_on = 0, vectors = 0;
  for (const Tracked& tracked : all) {
    std::map<guint32, GstTandemMotionVector> now;
    for (const GstTandemMotionVector& v : tracked.vectors) {
      EXPECT_TRUE(now.emplace(v.id, v).second) << "two features of track " << v.id;
      const auto before = last.find(v.id);
      EXPECT_EQ(v.age, before == last.end() ? 1 : before->second.age + 1);
      if (before == last.end()) continue;
      ++gone_on;
      EXPECT_LE(std::hypot(before->second.x - (v.x - v.dx), before->second.y - (v.y - v.dy)), 3);
    }
    vectors += now.size();
    last = now;
  }
  EXPECT_GT(gone_on, vectors / 2);
}

TEST(Tracking, EveryConfigurationFollowsAlike) {
  constexpr int kFrames = 7;
  const std::vector<Tracked> expected = track(start(kStagesOnCpu), 0, kFrames);
  for (const Configuration& c : all_configurations(4, 2, have_opencl_device() ? 7 : 0)) {
    const std::string name = to_string(c);
    SCOPED_TRACE(name);
    const Harness harness =
        start(tracking_bin("mapping=" + to_string(c.mapping) +
                           (c.granularity == Granularity::medium
                                ? " granularity=mg"
                                : " granularity=cg threads=" + std::to_string(c.threads))));
    const std::vector<Tracked> all = track(harness, 0, kFrames);
    for (int i = 0; i < kFrames; ++i) {
      EXPECT_EQ(all[i].index, i);
      if (!c.mapping.any_device()) {
        ASSERT_EQ(all[i].vectors.size(), expected[i].vectors.size()) << "frame " << i;
        for (std::size_t k = 0; k < all[i].vectors.size(); ++k) {
          EXPECT_EQ(all[i].vectors[k].x, expected[i].vectors[k].x);
          EXPECT_EQ(all[i].vectors[k].id, expected[i].vectors[k].id);
        }
      } else if (i > 0) {
        expect_motion(all[i]);  // corners of equal strength may swap
      } else {
        EXPECT_TRUE(all[i].vectors.empty());
      }
    }
  }
}

// Frames that make room for newer ones leave no trace.
TEST(Tracking, AFrameIsComparedWithTheLastThatWasNotDropped) {
  const Harness harness = start(tracking_bin("mapping=cccc threads=2 overload=drop"));
  constexpr int kFrames = 60;
  for (int i = 0; i < kFrames; i += 3) {
    GstBuffer* const burst[] = {frame(i), frame(i + 1), frame(i + 2)};  // faster than two threads
    for (GstBuffer* each : burst) gst_harness_push(harness.get(), each);
    g_usleep(2'000);
  }
  gst_harness_push_event(harness.get(), gst_event_new_eos());
  const Harness alone = start(kStagesOnCpu);
  int passed = 0;
  for (; gst_harness_buffers_in_queue(harness.get()) > 0; ++passed) {
    const Tracked tracked = pull(harness);
    gst_harness_push(alone.get(), frame(tracked.index));
    const Tracked expected = pull(alone);
    ASSERT_EQ(tracked.vectors.size(), expected.vectors.size()) << "frame " << tracked.index;
    for (std::size_t k = 0; k < expected.vectors.size(); ++k) {
      EXPECT_EQ(tracked.vectors[k].x, expected.vectors[k].x);
      EXPECT_EQ(tracked.vectors[k].dx, expected.vectors[k].dx);
      EXPECT_EQ(tracked.vectors[k].id, expected.vectors[k].id);
    }
  }
  EXPECT_GT(passed, 1);
  EXPECT_LT(passed, kFrames);
}

TEST(Tracking, OtherSizesAndFlushesBreakPairs) {
  for (const std::string& line : every_kind()) {
    SCOPED_TRACE(line);
    const Harness harness = start(line);
    std::set<guint32> before;
    for (const Tracked& tracked : track(harness, 0, 3))
      for (const GstTandemMotionVector& v : tracked.vectors) before.insert(v.id);

    constexpr Size kOther{176, 144};
    set_caps(harness, kOther);
    std::vector<Tracked> all = track(harness, 3, 6, kOther);
    EXPECT_TRUE(all[0].vectors.empty());
    expect_motion(all[1]);
    for (const GstTandemMotionVector& v : all[1].vectors) EXPECT_FALSE(before.contains(v.id));

    gst_harness_push_event(harness.get(), gst_event_new_flush_start());
    gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(harness.get(), gst_event_new_segment(&segment));
    all = track(harness, 6, 8, kOther);
    EXPECT_TRUE(all[0].vectors.empty());
    expect_motion(all[1]);
  }
}

TEST(Tracking, WhatIsNoContinuationBreaksPairs) {
  for (const std::string& line : every_kind()) {
    SCOPED_TRACE(line);
    const auto all = pass_breaks(line, kSize, 2, [](int index) { return frame(index); });
    EXPECT_TRUE(read(all[0][0]).vectors.empty());
    expect_motion(read(all[0][1]));
    for (std::size_t i = 0; i < breaks().size(); ++i) {
      SCOPED_TRACE(breaks()[i].name);
      const Tracked first = read(all[i + 1][0]), second = read(all[i + 1][1]);
      EXPECT_EQ(first.vectors.empty(), breaks()[i].anew);
      expect_motion(second);
    }
  }
}

// Vectors that the frame has from elsewhere join no track of the time before.
TEST(Tracking, TracksEndAtABreak) {
  Harness harness = start(kStagesOnCpu);
  gst_harness_push(harness.get(), frame(0));
  gst_buffer_unref(gst_harness_pull(harness.get()));
  gst_harness_push(harness.get(), frame(1));
  GstBuffer* const vectors = gst_harness_pull(harness.get());
  // klttracks alone: each frame has the vectors of frame 1, which lie within 10 pixels of their
  // beginnings.
  const auto again = [&](int) { return gst_buffer_copy(vectors); };
  const auto all = pass_breaks("klttracks max-distance=10", kSize, 2, again);
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(i == 0 ? "the beginning" : breaks()[i - 1].name);
    GstBuffer* const begins = all[i][0];
    gst_buffer_unref(all[i][1]);
    guint32 oldest = 0;
    GstMeta* meta = nullptr;
    // The last meta is that of this klttracks.
    for (gpointer state = nullptr;
         (meta = gst_buffer_iterate_meta_filtered(begins, &state,
                                                  g_type_from_name("GstTandemMotionMetaAPI")));) {
      const auto* motion = reinterpret_cast<GstTandemMotionMeta*>(meta);
      oldest = 0;
      for (guint k = 0; k < motion->count; ++k) oldest = std::max(oldest, motion->vectors[k].age);
    }
    if (i == 0 || breaks()[i - 1].anew) {
      EXPECT_EQ(oldest, 1U);
    } else {
      EXPECT_GT(oldest, 1U);
    }
    gst_buffer_unref(begins);
  }
  gst_buffer_unref(vectors);
}

TEST(Tracking, AnotherFormatBreaksAPair) {
  for (const std::string& line : every_kind()) {
    SCOPED_TRACE(line);
    const Harness harness = start(line);
    track(harness, 0, 2);
    // As large, but the chroma says that this is another video.
    gst_harness_set_src_caps_str(harness.get(), caps_text(kSize, "NV12").c_str());
    for (int i = 2; i < 4; ++i) {
      GstBuffer* luma = frame(i);
      GstBuffer* buffer = make_frame(i, kSize, "NV12");
      GstMapInfo map;
      gst_buffer_map(luma, &map, GST_MAP_READ);
      gst_buffer_fill(buffer, 0, map.data, map.size);
      gst_buffer_unmap(luma, &map);
      gst_buffer_unref(luma);
      gst_harness_push(harness.get(), buffer);
      const Tracked tracked = pull(harness);
      if (i == 2) {
        EXPECT_TRUE(tracked.vectors.empty());
      } else {
        expect_motion(tracked);
      }
    }
  }
}

TEST(Tracking, NoTextureNoVectors) {
  for (const std::string& line : every_kind()) {
    SCOPED_TRACE(line);
    const Harness harness = start(line);
    for (int i = 0; i < 3; ++i) {
      GstBuffer* buffer = make_frame(i, kSize);
      gst_buffer_memset(buffer, 0, 128, gst_buffer_get_size(buffer));
      gst_harness_push(harness.get(), buffer);
      const Tracked tracked = pull(harness);
      EXPECT_EQ(tracked.index, i);
      EXPECT_TRUE(tracked.vectors.empty());
    }
  }
}

TEST(Tracking, FramesSmallerThanAWindowPassWithOneWarning) {
  for (const std::string& line : every_kind()) {
    // Features keep the smallest preset's window, 2 pixels, from every border.
    for (const Size size : {Size{1, 1}, Size{7, 3}, Size{4, 90}}) {
      SCOPED_TRACE(line + " " + caps_text(size));
      Stream stream(line, size);
      EXPECT_EQ(indices(stream.run(4)), count_to(4));
      const auto warnings = stream.messages.all(GST_MESSAGE_WARNING);
      ASSERT_EQ(warnings.size(), 1U);
      EXPECT_EQ(warnings[0].text, "No corner can be found in frames of " +
                                      std::to_string(size.width) + "x" +
                                      std::to_string(size.height) +
                                      ": at least 5x5 pixels are needed. Put videoscale before "
                                      "the stages" +
                                      (size.width > 1 ? ", or set kltfeatures window=1." : "."));
    }
  }
}

TEST(Tracking, AWindowThatIsTooLargeForTheFramesIsWarnedOf) {
  Stream stream(tracking_bin("", "window=20"), {40, 90});
  EXPECT_EQ(indices(stream.run(4)), count_to(4));
  ASSERT_EQ(stream.messages.all(GST_MESSAGE_WARNING).size(), 1U);
  EXPECT_EQ(stream.messages.all(GST_MESSAGE_WARNING)[0].text,
            "No corner can be found in frames of 40x90: at least 41x41 pixels are needed. Put "
            "videoscale before the stages, or set kltfeatures window=19.");
  Stream smaller(tracking_bin("", "window=19"), {40, 90});
  smaller.run(2);
  EXPECT_TRUE(smaller.messages.all(GST_MESSAGE_WARNING).empty());
}

TEST(Tracking, AStageWithoutTheOneBeforeSaysWhichIsMissing) {
  Stream stream("kltflow device=cpu");
  stream.play();
  stream.push(0, 1);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
            "kltflow needs the tensor 'klt-previous', which kltpyramid makes: put kltpyramid "
            "before kltflow.");
}

}  // namespace
}  // namespace tandem::test
