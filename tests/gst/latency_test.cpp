// SPDX-License-Identifier: LGPL-2.1-or-later
// What the bin says of the latency of frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
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

}  // namespace
}  // namespace tandem::test
