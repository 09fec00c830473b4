// SPDX-License-Identifier: LGPL-2.1-or-later
// What the bin makes of latency: metric=latency against what it chooses otherwise; target-latency
// against the fastest of a search that keeps it; and frames of a live source that are late in a
// sink that waits for their time, after the first training.
//   latency_bench [--application vivid] [--size 1920x1080] [--targets 5,10,20,50] [--device auto]
//                 [--seconds 3] [--live 20] [--live-fps 30] [--live-source raw|rtp-vp8]
//                 [--metric throughput] [--lanes 0]
// `--live 0` and `--targets ""` leave these parts out; `--targets none` leaves the live source
// alone.
// `--live-source rtp-vp8`: as a camera sends them over RTP; the caps of its frames have no rate.
// `--metric`: of the live source. `--lanes`: of what is chosen, 0: any.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

constexpr std::size_t kCandidates = 10;
// Predictions of latency that are no further above the target may keep it.
constexpr double kNearly = 1.3;
// As sinks that show video have it: a frame that is later is dropped.
constexpr GstClockTime kLate = 5 * GST_MSECOND;

struct Options {
  FedBin::Options bin;
  std::string application = "vivid", targets = "5,10,20,50", metric = "throughput", lanes = "0",
              live_source = "raw";
  int live_fps = 30;
  Size size{1920, 1080};
  double seconds = 3, live_s = 20;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--application")
      options.application = value;
    else if (name == "--size")
      options.size = read_size(value);
    else if (name == "--targets")
      options.targets = value;
    else if (name == "--device")
      options.bin.device = value;
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--live")
      options.live_s = std::stod(value);
    else if (name == "--live-fps")
      options.live_fps = std::stoi(value);
    else if (name == "--live-source")
      options.live_source = value;
    else if (name == "--metric")
      options.metric = value;
    else if (name == "--lanes")
      options.lanes = value;
    else
      throw std::runtime_error("unknown option " + name);
  }
  return options;
}

struct Row {
  std::string configuration;
  double fps = 0, p95_ms = 0;
  std::vector<Rate> predictions;
};

// What runs after a training with this property, at length.
Row choose(const Options& options, const std::string& stages, const Frames& frames,
           const char* property, const std::string& value) {
  FedBin bin(options.bin, stages, "caps");
  if (!value.empty()) bin.set(property, value.c_str());
  bin.set("lanes", options.lanes.c_str());
  bin.begin(frames.size);
  const OfferedFrames offered(bin, frames.buffers);
  if (!bin.run_until_decided(offered.buffers())) throw std::runtime_error("nothing was decided");
  const double fps = bin.run(offered.buffers(), options.seconds);
  const Stats stats = bin.stats();
  return {stats.configuration, fps, stats.latency_p95_ms, bin.predictions()};
}

Row force(const Options& options, const std::string& stages, const Frames& frames,
          const std::string& configuration) {
  FedBin bin(options.bin, stages, "off");
  bin.force(configuration);
  bin.begin(frames.size);
  const OfferedFrames offered(bin, frames.buffers);
  bin.run(offered.buffers(), options.seconds / 3);  // programs are built, memory is touched
  bin.force("auto");
  bin.force(configuration);  // what was measured till now is forgotten
  const double fps = bin.run(offered.buffers(), options.seconds);
  return {configuration, fps, bin.stats().latency_p95_ms, {}};
}

void print(const char* what, const Row& row) {
  std::printf("| %s | %s | %.1f | %.2f |", what, row.configuration.c_str(), row.fps, row.p95_ms);
}

// The fastest by the model that may keep the target, and what was chosen.
std::set<std::string> candidates(const Row& chosen, double target_ms) {
  std::set<std::string> names{chosen.configuration};
  for (const Rate& rate : chosen.predictions) {
    if (names.size() > kCandidates) break;
    if (rate.latency_ms > 0 && rate.latency_ms <= kNearly * target_ms)
      names.insert(rate.configuration);
  }
  return names;
}

void keep_target(const Options& options, const std::string& stages, const Frames& frames,
                 const std::string& target) {
  const double target_ms = std::stod(target);
  const Row chosen = choose(options, stages, frames, "target-latency", target);
  Row best;
  for (const std::string& name : candidates(chosen, target_ms)) {
    const Row row = force(options, stages, frames, name);
    if (row.p95_ms <= target_ms && row.fps > best.fps) best = row;
  }
  print((target + " ms").c_str(), chosen);
  std::printf(" %s | ", chosen.p95_ms <= target_ms ? "yes" : "NO");
  if (best.fps > 0) {
    std::printf("%s %.1f | %.2f |\n", best.configuration.c_str(), best.fps, chosen.fps / best.fps);
  } else {
    std::printf("none keeps it | |\n");
  }
}

guint64 late_frames(GstElement* sink) {
  GstStructure* stats = nullptr;
  g_object_get(sink, "stats", &stats, nullptr);
  guint64 late = 0;
  gst_structure_get_uint64(stats, "dropped", &late);
  gst_structure_free(stats);
  return late;
}

bool has_trained(GstElement* bin) {
  GstStructure* stats = nullptr;
  g_object_get(bin, "stats", &stats, nullptr);
  int trainings = 0;
  gboolean training = TRUE;
  gst_structure_get(stats, "trainings", G_TYPE_INT, &trainings, "training", G_TYPE_BOOLEAN,
                    &training, nullptr);
  gst_structure_free(stats);
  return trainings > 0 && !training;
}

// Does what an application has to do with messages, for so long.
void listen(GstElement* pipeline, double seconds) {
  GstBus* bus = gst_element_get_bus(pipeline);
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
    GstMessage* message = gst_bus_timed_pop(bus, 10 * GST_MSECOND);
    if (!message) continue;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_LATENCY)
      gst_bin_recalculate_latency(GST_BIN(pipeline));
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      throw std::runtime_error("the live pipeline failed");
    gst_message_unref(message);
  }
  gst_object_unref(bus);
}

std::string live_frames(const Options& options) {
  const std::string size = ",width=" + std::to_string(options.size.width) +
                           ",height=" + std::to_string(options.size.height) +
                           ",framerate=" + std::to_string(options.live_fps) + "/1 ! ";
  const std::string source = "videotestsrc is-live=true pattern=ball ! video/x-raw,format=";
  if (options.live_source == "raw") return source + "GRAY8" + size + "queue ! ";
  if (options.live_source != "rtp-vp8")
    throw std::runtime_error("no source " + options.live_source);
  return source + "I420" + size +
         "queue ! vp8enc deadline=1 cpu-used=16 target-bitrate=4000000 keyframe-max-dist=30 ! "
         "rtpvp8pay ! queue ! rtpvp8depay ! vp8dec ! queue ! videoconvert ! "
         "video/x-raw,format=GRAY8 ! ";
}

void play_live(const Options& options, const std::string& stages) {
  constexpr double kMostTraining_s = 120, kSettle_s = 2;
  const std::string line =
      live_frames(options) + "tandembin name=bin knowledge=off" +
      " opencl-device=" + options.bin.device + " metric=" + options.metric + " stages=\"" + stages +
      "\" ! fakesink name=sink sync=true qos=true max-lateness=" + std::to_string(kLate);
  GstElement* pipeline = gst_parse_launch(line.c_str(), nullptr);
  if (!pipeline) throw std::runtime_error("no live pipeline");
  GstElement* bin = gst_bin_get_by_name(GST_BIN(pipeline), "bin");
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  const auto start = Clock::now();
  while (!has_trained(bin) && seconds_since(start) < kMostTraining_s) listen(pipeline, 0.1);
  const double trained_s = seconds_since(start);
  listen(pipeline, kSettle_s);
  const guint64 before = late_frames(sink);
  listen(pipeline, options.live_s);
  const guint64 late = late_frames(sink) - before;
  GstStructure* stats = nullptr;
  g_object_get(bin, "stats", &stats, nullptr);
  double p95_ms = 0, waiting_ms = 0;
  gst_structure_get_double(stats, "latency-p95", &p95_ms);
  gst_structure_get_double(stats, "waiting-p95", &waiting_ms);
  std::printf(
      "\n| live, %d frames/s | latency p95, ms | waiting p95, ms | late of %.0f |\n"
      "| --- | ---: | ---: | ---: |\n| %s, trained %.1f s | %.2f | %.2f | %llu |\n",
      options.live_fps, options.live_fps * options.live_s,
      gst_structure_get_string(stats, "configuration"), trained_s, p95_ms, waiting_ms,
      static_cast<unsigned long long>(late));
  gst_structure_free(stats);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(bin);
  gst_object_unref(pipeline);
}

void run(const Options& options) {
  const std::string stages = bench_chain(options.application).stages;
  const Frames frames(options.size);
  std::printf("%s %s\n", options.application.c_str(), text_of(options.size).c_str());
  if (options.targets != "none") {
    std::printf(
        "\n| aim | chosen | frames/s | latency p95, ms | kept | fastest that keeps it | "
        "of that |\n| --- | --- | ---: | ---: | --- | --- | ---: |\n");
    const Row usual = choose(options, stages, frames, "metric", "throughput");
    print("throughput", usual);
    std::printf(" | | |\n");
    const Row least = choose(options, stages, frames, "metric", "latency");
    print("latency", least);
    std::printf(" | | 1/%.1f of the latency |\n", usual.p95_ms / least.p95_ms);
    for (const std::string& target : split_commas(options.targets))
      if (!target.empty()) keep_target(options, stages, frames, target);
  }
  if (options.live_s > 0) play_live(options, stages);
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  try {
    tandem::run(tandem::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "latency_bench: %s\n", error.what());
    return 1;
  }
}
