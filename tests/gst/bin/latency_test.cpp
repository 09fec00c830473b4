// SPDX-License-Identifier: LGPL-2.1-or-later
// What the bin says of the latency of frames.
#include <gst/app/gstappsrc.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

std::optional<double> stat_of(const Stream& stream, const char* name) {
  GstStructure* stats = nullptr;
  g_object_get(stream.tandembin(), "stats", &stats, nullptr);
  double value = 0;
  const bool there = gst_structure_get_double(stats, name, &value);
  gst_structure_free(stats);
  return there ? std::optional(value) : std::nullopt;
}

// Milliseconds from one pad to another, of each frame, as probes see it.
class Probes {
 public:
  explicit Probes(GstElement* bin) {
    const auto watch = [&](const GList* pads, GstPadProbeCallback callback) {
      gst_pad_add_probe(static_cast<GstPad*>(pads->data), GST_PAD_PROBE_TYPE_BUFFER, callback, this,
                        nullptr);
    };
    watch(bin->sinkpads, [](GstPad*, GstPadProbeInfo*, gpointer data) {
      auto* self = static_cast<Probes*>(data);
      const std::lock_guard lock(self->mutex_);
      self->came_us_.push_back(g_get_monotonic_time());
      return GST_PAD_PROBE_OK;
    });
    watch(bin->srcpads, [](GstPad*, GstPadProbeInfo*, gpointer data) {
      auto* self = static_cast<Probes*>(data);
      const std::lock_guard lock(self->mutex_);
      const std::size_t frame = self->latencies_ms_.size();
      self->latencies_ms_.push_back(
          1e-3 * static_cast<double>(g_get_monotonic_time() - self->came_us_[frame]));
      return GST_PAD_PROBE_OK;
    });
  }
  double most_ms() {
    const std::lock_guard lock(mutex_);
    return *std::ranges::max_element(latencies_ms_);
  }

 private:
  std::mutex mutex_;
  std::vector<gint64> came_us_;
  std::vector<double> latencies_ms_;
};

TEST(Latency, IsWithinWhatProbesSee) {
  for (const char* configuration : {"threads=1", "threads=3", "granularity=mg"}) {
    SCOPED_TRACE(configuration);
    Stream stream(bin(configuration));
    Probes probes(stream.tandembin());
    EXPECT_FALSE(stat_of(stream, "latency-p95")) << "no frame has passed";
    constexpr int kFrames = 60;
    EXPECT_EQ(indices(stream.run(kFrames)), count_to(kFrames));
    const auto median = stat_of(stream, "latency-p50"), most = stat_of(stream, "latency-p95");
    ASSERT_TRUE(median && most);
    EXPECT_GT(*median, 0);
    EXPECT_LE(*median, *most);
    EXPECT_LE(*most, 1.02 * probes.most_ms()) << "a part of the way from pad to pad";
    EXPECT_TRUE(stat_of(stream, "waiting-p95"));
  }
}

// A stream whose caps have this rate, or none, through a bin that computes one frame at a time, or
// another number.
class RatedStream {
 public:
  explicit RatedStream(const std::string& rate, const char* properties = "threads=1")
      : stream_(bin(std::string("mapping=ccc ") + properties, "scales=1"), kSize) {
    set_rate(rate);
    stream_.play();
  }

  void set_rate(const std::string& rate) {
    const std::string text = "video/x-raw,format=GRAY8,width=" + std::to_string(kSize.width) +
                             ",height=" + std::to_string(kSize.height) + rate;
    GstCaps* caps = gst_caps_from_string(text.c_str());
    gst_app_src_set_caps(GST_APP_SRC(stream_.element("source")), caps);
    gst_caps_unref(caps);
  }

  // Frames whose times are so far apart; the time of none is known where `timed` is false. Returns
  // when they have left.
  void pass(int frames, GstClockTime apart, bool timed = true,
            GstClockTime duration = GST_CLOCK_TIME_NONE) {
    for (int i = 0; i < frames; ++i, next_ += apart) {
      GstBuffer* frame = make_frame(0, kSize);
      GST_BUFFER_PTS(frame) = timed ? next_ : GST_CLOCK_TIME_NONE;
      GST_BUFFER_DURATION(frame) = duration;
      stream_.push_buffer(frame);
    }
    for (int i = 0; i < frames; ++i) {
      GstBuffer* frame = stream_.pull_buffer();
      ASSERT_TRUE(frame);
      gst_buffer_unref(frame);
    }
  }

  // The minimum of the bin's answer to a LATENCY query; the source adds none.
  GstClockTime answer() {
    auto* pad = static_cast<GstPad*>(stream_.tandembin()->srcpads->data);
    GstQuery* query = gst_query_new_latency();
    EXPECT_TRUE(gst_pad_query(pad, query));
    GstClockTime least = 0;
    gst_query_parse_latency(query, nullptr, &least, nullptr);
    gst_query_unref(query);
    return least;
  }
  // Latency messages of the bin so far.
  int messages() const {
    int count = 0;
    for (const Message& message : stream_.messages.all(GST_MESSAGE_LATENCY))
      count += message.source == "tandembin0";
    return count;
  }

 private:
  static constexpr Size kSize{64, 128};
  Stream stream_;
  GstClockTime next_ = 0;
};

constexpr GstClockTime kMs = GST_MSECOND;

TEST(Latency, FollowsTheTimesOfFramesWhereCapsHaveNoRate) {
  for (const char* rate : {"", ",framerate=0/1"}) {
    SCOPED_TRACE(rate);
    RatedStream one(rate), two(rate, "threads=2");
    one.pass(2, 100 * kMs);
    EXPECT_EQ(one.answer(), 100 * kMs);
    two.pass(2, 100 * kMs);
    EXPECT_EQ(two.answer(), 200 * kMs);
    const int before = one.messages();
    EXPECT_GT(before, 0);
    one.pass(64, 300 * kMs);
    EXPECT_EQ(one.answer(), 300 * kMs);
    EXPECT_EQ(one.messages(), before + 1) << "the answer changed once";
  }
}

TEST(Latency, FollowsDurationsWhereFramesHaveNoTimes) {
  RatedStream stream(",framerate=0/1");
  stream.pass(1, 0, false, 80 * kMs);
  EXPECT_EQ(stream.answer(), 80 * kMs);
}

TEST(Latency, IsThatOfAnAssumedRateUntilOneIsKnown) {
  RatedStream stream(",framerate=0/1");
  stream.pass(1, 100 * kMs);
  EXPECT_EQ(stream.answer(), 40 * kMs) << "25 frames/s";
}

TEST(Latency, ChangesWithTheRateOfTheCaps) {
  RatedStream stream(",framerate=10/1");
  stream.pass(1, 100 * kMs);
  EXPECT_EQ(stream.answer(), 100 * kMs);
  const int before = stream.messages();
  stream.set_rate(",framerate=5/1");
  stream.pass(1, 200 * kMs);
  EXPECT_EQ(stream.answer(), 200 * kMs);
  EXPECT_EQ(stream.messages(), before + 1);
  stream.set_rate(",framerate=0/1");
  stream.pass(1, 200 * kMs);
  EXPECT_EQ(stream.answer(), 200 * kMs) << "the best guess until frames say otherwise";
  stream.pass(64, 50 * kMs);
  EXPECT_EQ(stream.answer(), 50 * kMs);
}

}  // namespace
}  // namespace tandem::test
