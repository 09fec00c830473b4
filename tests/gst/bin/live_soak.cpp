// SPDX-License-Identifier: LGPL-2.1-or-later
// A live source that is faster than the stages, for minutes: whether frames become later and later,
// and whether memory grows. Not in CI, for it takes as long as it is told to.
//
// usage: live_soak [SECONDS [CAPS [PROPERTIES OF THE BIN]]]
#include <gst/gst.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr double kPartSeconds = 10;
// The first parts pay for the training and for memory that is touched for the first time.
constexpr std::size_t kSettling = 3;
constexpr double kMostLater = 1.25, kMostLaterSeconds = 0.02, kMostGrowth = 1.05;

/// What frames did in one part.
struct Part {
  std::vector<double> late_s;  ///< from when each was made to when the sink had it
  double resident_mib = 0;
  guint64 dropped = 0;
};

class Watch {
 public:
  static GstPadProbeReturn frame(GstPad* pad, GstPadProbeInfo* info, gpointer self) {
    static_cast<Watch*>(self)->take(pad, GST_PAD_PROBE_INFO_BUFFER(info));
    return GST_PAD_PROBE_OK;
  }
  std::vector<double> next_part() {
    const std::lock_guard lock(mutex_);
    return std::exchange(late_s_, {});
  }

 private:
  void take(GstPad* pad, GstBuffer* frame) {
    GstElement* sink = gst_pad_get_parent_element(pad);
    if (GstClock* clock = gst_element_get_clock(sink)) {
      const GstClockTime now = gst_clock_get_time(clock) - gst_element_get_base_time(sink);
      const std::lock_guard lock(mutex_);
      late_s_.push_back(1e-9 * static_cast<double>(GST_CLOCK_DIFF(GST_BUFFER_PTS(frame), now)));
      gst_object_unref(clock);
    }
    gst_object_unref(sink);
  }

  std::mutex mutex_;
  std::vector<double> late_s_;
};

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * (values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

guint64 dropped(GstElement* bin) {
  GstStructure* stats = nullptr;
  g_object_get(bin, "stats", &stats, nullptr);
  guint64 frames = 0;
  gst_structure_get_uint64(stats, "frames-dropped", &frames);
  gst_structure_free(stats);
  return frames;
}

GstElement* pipeline_of(const std::string& caps, const std::string& properties) {
  const std::string line =
      "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420," + caps +
      " ! tandembin.( name=bin overload=drop knowledge=off " + properties +
      " vividfilter ! vividhistogram ! vividclassifier ) ! fakesink name=sink sync=false";
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  if (!error) return pipeline;
  std::fprintf(stderr, "live_soak: %s\n", error->message);
  std::exit(2);
}

// Prints what is wrong; whether nothing is.
bool judge(const std::vector<Part>& parts) {
  if (parts.size() < 2 * kSettling) {
    std::printf("too short to judge: it takes %g s\n", 2 * kSettling * kPartSeconds);
    return true;
  }
  const Part &early = parts[kSettling], &last = parts.back();
  const double before_s = quantile(early.late_s, 0.5), after_s = quantile(last.late_s, 0.5);
  const bool later = after_s > kMostLater * before_s + kMostLaterSeconds;
  const bool grows = last.resident_mib > kMostGrowth * early.resident_mib;
  std::printf("latency %.1f ms -> %.1f ms%s; memory %.1f MiB -> %.1f MiB%s\n", 1e3 * before_s,
              1e3 * after_s, later ? ", GROWS" : "", early.resident_mib, last.resident_mib,
              grows ? ", GROWS" : "");
  return !later && !grows && !last.late_s.empty();
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 600;
  const std::string caps = argc > 2 ? argv[2] : "width=640,height=480,framerate=120/1";
  GstElement* pipeline = pipeline_of(caps, argc > 3 ? argv[3] : "");
  GstElement* bin = gst_bin_get_by_name(GST_BIN(pipeline), "bin");
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  GstPad* pad = gst_element_get_static_pad(sink, "sink");
  Watch watch;
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, Watch::frame, &watch, nullptr);
  GstBus* bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  std::printf("| s | frames/s | dropped | latency, ms: median | 99%% | most | memory, MiB |\n");
  std::printf("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  std::vector<Part> parts;
  bool failed = false;
  for (double at = kPartSeconds; at <= seconds && !failed; at += kPartSeconds) {
    g_usleep(static_cast<gulong>(1e6 * kPartSeconds));
    const Part part{watch.next_part(), resident_mib(), dropped(bin)};
    const guint64 before = parts.empty() ? 0 : parts.back().dropped;
    std::printf("| %.0f | %.1f | %llu | %.1f | %.1f | %.1f | %.1f |\n", at,
                part.late_s.size() / kPartSeconds,
                static_cast<unsigned long long>(part.dropped - before),
                1e3 * quantile(part.late_s, 0.5), 1e3 * quantile(part.late_s, 0.99),
                1e3 * quantile(part.late_s, 1), part.resident_mib);
    std::fflush(stdout);
    parts.push_back(part);
    // Nobody else takes the messages: one for each dropped frame.
    while (GstMessage* message = gst_bus_pop(bus)) {
      failed = failed || GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
      gst_message_unref(message);
    }
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  const bool good = judge(parts) && !failed;
  if (failed) std::printf("the stream failed\n");
  gst_object_unref(bus);
  gst_object_unref(pad);
  gst_object_unref(sink);
  gst_object_unref(bin);
  gst_object_unref(pipeline);
  return good ? 0 : 1;
}
