// SPDX-License-Identifier: LGPL-2.1-or-later
// What adapting gains and costs: ViVid on a stream that goes from one size to another and back,
// with a bin that adapts, the same bin frozen in what it chose for the first size, and each part in
// the configurations named by --best (from `tandem bench`). Then what watching costs a steady
// stream: the chosen configuration with adapt=both and adapt=off in turn.
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/median.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Options {
  std::string device = "auto", best;
  int cores = 0;
  double seconds = 10, max_overhead = 0.05;
};

struct Size {
  int width, height;
};
constexpr Size kParts[] = {{600, 416}, {1920, 1080}, {600, 416}};

// Of steady runs with and without watching, and what each lasts at least: filling the bin anew is a
// small part of it.
constexpr int kPairs = 31;
constexpr double kLeastTurn = 0.5;

/// Grey frames with some texture; as many as no cache holds.
std::vector<GstBuffer*> make_frames(Size size) {
  std::mt19937 random(1);
  std::vector<GstBuffer*> frames;
  for (int i = 0; i < 32; ++i) {
    const gsize bytes = static_cast<gsize>(size.width) * size.height;
    GstBuffer* frame = gst_buffer_new_allocate(nullptr, bytes, nullptr);
    GstMapInfo map;
    gst_buffer_map(frame, &map, GST_MAP_WRITE);
    for (gsize p = 0; p < bytes; ++p)
      map.data[p] = static_cast<guint8>((p % size.width) / 3 + random() % 64);
    gst_buffer_unmap(frame, &map);
    frames.push_back(frame);
  }
  return frames;
}

struct Stats {
  std::string configuration;
  guint64 frames = 0;
  int trainings = 0, training_frames = 0;
  double training_s = 0, penalty_s = 0;
  bool training = false;
};

/// appsrc ! tandembin ! fakesink, playing and always fed.
class Stream {
 public:
  explicit Stream(const Options& options, const char* adapt) {
    pipeline_ = gst_parse_launch_full(
        "appsrc name=source format=time block=true max-buffers=4 max-bytes=0 ! "
        "tandembin name=bin stages=\"vividfilter scales=1 ! vividhistogram ! vividclassifier\" ! "
        "fakesink sync=false",
        nullptr, GST_PARSE_FLAG_FATAL_ERRORS, nullptr);
    if (!pipeline_) throw std::runtime_error("no pipeline: is GST_PLUGIN_PATH set?");
    source_ = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline_), "source"));
    bin_ = gst_bin_get_by_name(GST_BIN(pipeline_), "bin");
    g_object_set(bin_, "opencl-device", options.device.c_str(), "cores", options.cores,
                 "max-overhead", options.max_overhead, nullptr);
    set("adapt", adapt);
  }
  ~Stream() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(source_);
    gst_object_unref(bin_);
    gst_object_unref(pipeline_);
  }

  void set(const char* property, const char* value) {
    gst_util_set_object_arg(G_OBJECT(bin_), property, value);
  }

  /// "gcc/cg3" or "auto".
  void force(const std::string& configuration) {
    const std::size_t slash = configuration.find('/');
    set("mapping", configuration.substr(0, slash).c_str());
    if (slash == std::string::npos) return;
    set("granularity", configuration.substr(slash + 1, 2).c_str());
    set("threads", configuration.size() > slash + 3 ? configuration.c_str() + slash + 3 : "0");
  }

  void begin(Size size) {
    GstCaps* caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width",
                                        G_TYPE_INT, size.width, "height", G_TYPE_INT, size.height,
                                        "framerate", GST_TYPE_FRACTION, 30, 1, nullptr);
    gst_app_src_set_caps(source_, caps);
    gst_caps_unref(caps);
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  }

  void feed(const std::vector<GstBuffer*>& frames) {
    GstBuffer* buffer = gst_buffer_copy(frames[next_++ % frames.size()]);
    if (gst_app_src_push_buffer(source_, buffer) != GST_FLOW_OK)
      throw std::runtime_error("the pipeline stopped taking frames");
  }

  Stats stats() const {
    Stats stats;
    GstStructure* structure = nullptr;
    g_object_get(bin_, "stats", &structure, nullptr);
    stats.configuration = gst_structure_get_string(structure, "configuration");
    gboolean training = FALSE;
    gst_structure_get(structure, "frames", G_TYPE_UINT64, &stats.frames, "trainings", G_TYPE_INT,
                      &stats.trainings, "training-frames", G_TYPE_INT, &stats.training_frames,
                      "training-seconds", G_TYPE_DOUBLE, &stats.training_s, "training-penalty",
                      G_TYPE_DOUBLE, &stats.penalty_s, "training", G_TYPE_BOOLEAN, &training,
                      nullptr);
    stats.training = training;
    gst_structure_free(structure);
    return stats;
  }

  /// Feeds for so long; returns frames finished a second.
  double run(const std::vector<GstBuffer*>& frames, double seconds) {
    const Stats before = stats();
    const auto start = Clock::now();
    while (seconds_since(start) < seconds) feed(frames);
    const double elapsed = seconds_since(start);
    return static_cast<double>(stats().frames - before.frames) / elapsed;
  }

  void run_until_decided(const std::vector<GstBuffer*>& frames) {
    do {
      feed(frames);
    } while (stats().trainings == 0 || stats().training);
  }

 private:
  GstElement* pipeline_;
  GstAppSrc* source_;
  GstElement* bin_;
  std::size_t next_ = 0;
};

struct Row {
  double fps[std::size(kParts)];
  std::string configurations[std::size(kParts)];
};

void print(const char* name, const Row& row) {
  std::printf("| %-8s |", name);
  for (std::size_t i = 0; i < std::size(kParts); ++i)
    std::printf(" %8.1f (%s) |", row.fps[i], row.configurations[i].c_str());
  std::puts("");
  std::fflush(stdout);
}

void compare(const Options& options, const std::vector<GstBuffer*>* frames) {
  std::printf("| frames/s |");
  for (const Size& size : kParts) std::printf(" %dx%d |", size.width, size.height);
  std::puts("\n| --- | ---: | ---: | ---: |");
  Row row;
  std::vector<std::string> trainings;
  {
    Stream stream(options, "both");
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      stream.begin(kParts[i]);
      const Stats before = stream.stats();
      row.fps[i] = stream.run(frames[i % 2], options.seconds);
      const Stats after = stream.stats();
      row.configurations[i] = after.configuration;
      char text[160];
      std::snprintf(text, sizeof text, "part %zu: %d training(s), %.3f s, %d frames, %.3f s lost",
                    i + 1, after.trainings - before.trainings, after.training_s - before.training_s,
                    after.training_frames - before.training_frames,
                    after.penalty_s - before.penalty_s);
      trainings.emplace_back(text);
    }
    print("adapts", row);
  }
  {
    Stream stream(options, "both");
    stream.begin(kParts[0]);
    stream.run_until_decided(frames[0]);
    stream.set("adapt", "off");
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      stream.begin(kParts[i]);
      row.fps[i] = stream.run(frames[i % 2], options.seconds);
      row.configurations[i] = stream.stats().configuration;
    }
    print("frozen", row);
  }
  if (!options.best.empty()) {
    const std::size_t comma = options.best.find(',');
    const std::string best[] = {options.best.substr(0, comma), options.best.substr(comma + 1)};
    Stream stream(options, "off");
    for (std::size_t i = 0; i < std::size(kParts); ++i) {
      stream.force(best[i % 2]);
      stream.begin(kParts[i]);
      row.fps[i] = stream.run(frames[i % 2], options.seconds);
      row.configurations[i] = stream.stats().configuration;
    }
    print("best", row);
  }
  for (const std::string& training : trainings) std::puts(training.c_str());
}

void steady(const Options& options, const std::vector<GstBuffer*>* frames) {
  for (std::size_t i = 0; i < 2; ++i) {
    Stream stream(options, "both");
    stream.begin(kParts[i]);
    stream.run_until_decided(frames[i]);
    std::vector<double> ratios;
    double fps = 0;
    for (int round = 0; round < kPairs; ++round) {
      // In turn, and the order changes: a machine whose speed drifts hits both.
      double rate[2];
      for (int turn = 0; turn < 2; ++turn) {
        const bool watching = (turn == 0) == (round % 2 == 0);
        stream.set("adapt", watching ? "drift" : "off");
        rate[watching] = stream.run(frames[i], std::max(kLeastTurn, options.seconds / kPairs));
      }
      ratios.push_back(rate[1] / rate[0]);
      fps = rate[1];
    }
    const auto [least, most] = std::ranges::minmax(ratios);
    std::printf(
        "steady %dx%d %s: watching runs at %.4f of adapt=off (median of %zu, %.4f to %.4f), "
        "%.1f frames/s\n",
        kParts[i].width, kParts[i].height, stream.stats().configuration.c_str(), median(ratios),
        ratios.size(), least, most, fps);
    std::fflush(stdout);
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--opencl-device") {
      options.device = value;
    } else if (name == "--best") {
      options.best = value;
    } else if (name == "--cores") {
      options.cores = std::atoi(value.c_str());
    } else if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (name == "--max-overhead") {
      options.max_overhead = std::atof(value.c_str());
    } else {
      throw std::runtime_error("there is no option " + name);
    }
  }
  if (argc % 2 == 0)
    throw std::runtime_error(
        "usage: adaptation_bench [--opencl-device NAME] [--cores N] [--seconds S] "
        "[--max-overhead SHARE] [--best CONFIGURATION,CONFIGURATION]");
  return options;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    const std::vector<GstBuffer*> frames[] = {tandem::make_frames(tandem::kParts[0]),
                                              tandem::make_frames(tandem::kParts[1])};
    tandem::compare(options, frames);
    tandem::steady(options, frames);
    for (const auto& some : frames)
      for (GstBuffer* frame : some) gst_buffer_unref(frame);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "adaptation_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
