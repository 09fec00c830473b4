// SPDX-License-Identifier: LGPL-2.1-or-later
// What GStreamer's latency tracer says of a pipeline with a tandembin. The environment turns it on
// (GST_TRACERS, GST_DEBUG): see meson.build.
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

// The records that the tracer logs.
class Records {
 public:
  Records() {
    gst_debug_remove_log_function(gst_debug_log_default);
    gst_debug_add_log_function(log, this, nullptr);
  }
  ~Records() { gst_debug_remove_log_function_by_data(this); }

  // Nanoseconds: the field `time` of each record of this kind of this element.
  std::vector<uint64_t> times(const std::string& kind, const std::string& element) {
    std::lock_guard lock(mutex_);
    std::vector<uint64_t> found;
    for (const std::string& line : lines_) {
      if (line.rfind(kind + ", ", 0) != 0 || line.find("=(string)" + element + ",") == line.npos)
        continue;
      constexpr char kTime[] = " time=(guint64)";
      found.push_back(
          std::strtoull(line.c_str() + line.find(kTime) + sizeof kTime - 1, nullptr, 10));
    }
    return found;
  }

 private:
  static void log(GstDebugCategory* category, GstDebugLevel, const gchar*, const gchar*, gint,
                  GObject*, GstDebugMessage* message, gpointer data) {
    if (!g_str_equal(gst_debug_category_get_name(category), "GST_TRACER")) return;
    auto* self = static_cast<Records*>(data);
    std::lock_guard lock(self->mutex_);
    self->lines_.emplace_back(gst_debug_message_get(message));
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
};

// Sums over frames.
uint64_t compute_ns(GstElement* bin) {
  GstStructure* stats = nullptr;
  g_object_get(bin, "stats", &stats, nullptr);
  const GValue* stages = gst_structure_get_value(stats, "stages");
  uint64_t all = 0;
  for (guint k = 0; k < gst_value_array_get_size(stages); ++k) {
    guint64 ns = 0;
    gst_structure_get_uint64(gst_value_get_structure(gst_value_array_get_value(stages, k)),
                             "cpu-ns", &ns);
    all += ns;
  }
  gst_structure_free(stats);
  return all;
}

// Debian 13 has GStreamer 1.26.2, where the tracer blocks the first buffer of any pipeline, also
// videotestsrc ! fakesink. 1.26.5 has GStreamer's own correction.
bool tracer_blocks_pipelines() {
  guint major = 0, minor = 0, micro = 0, nano = 0;
  gst_version(&major, &minor, &micro, &nano);
  return major == 1 && minor == 26 && micro < 5;
}

TEST(LatencyTracer, SeesTheBinAndItsTime) {
  if (tracer_blocks_pipelines())
    GTEST_SKIP() << "needs GStreamer 1.26.5, as the latency tracer of 1.26.0 to 1.26.4 blocks "
                    "every pipeline";
  constexpr int kFrames = 20;
  Records records;
  const auto stream =
      Stream::of("videotestsrc pattern=snow num-buffers=" + std::to_string(kFrames) + " ! " +
                 caps_text({160, 208}) + " ! " +
                 bin_of("vividfilter ! vividhistogram ! vividclassifier name=last", "threads=2") +
                 " ! identity name=after ! appsink name=sink sync=false");
  stream->play();
  EXPECT_EQ(indices(stream->pull_all()), count_to(kFrames));
  const auto sum = [](const std::vector<uint64_t>& times) {
    uint64_t all = 0;
    for (const uint64_t time : times) all += time;
    return all;
  };
  const std::vector<uint64_t> bin = records.times("element-latency", "last");
  EXPECT_EQ(bin.size(), static_cast<std::size_t>(kFrames)) << "each frame once";
  EXPECT_GE(sum(bin), compute_ns(stream->tandembin()));
  const std::vector<uint64_t> pipeline = records.times("latency", "sink");
  EXPECT_EQ(pipeline.size(), static_cast<std::size_t>(kFrames));
  EXPECT_GE(sum(pipeline), sum(bin)) << "from the source to the sink, the bin included";
}

}  // namespace
}  // namespace tandem::test
