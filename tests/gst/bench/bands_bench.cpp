// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that the device alone computes in bands: what that gains in latency, one frame at a time
// from pad to pad, and in rate, with frames waiting.
//   bands_bench [--applications vivid,srad,tracking,scene] [--sizes 1920x1080,3840x2160]
//               [--tasks 1,2,4,8] [--lanes 1,4] [--device auto] [--memory offered,ordinary]
//               [--seconds 0.3] [--rounds 3] [--choose 0|1]
// `--memory offered`: frames in the memory that the bin offers upstream. Medians of the rounds,
// which take turns. `--choose 1`: what the bin chooses by latency with tasks=auto, beside the same
// in whole frames.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/median.h"
#include "tests/gst/bench/support/bare_bin.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

struct Options {
  std::string applications = "vivid,srad,tracking,scene", sizes = "1920x1080,3840x2160";
  std::string tasks = "1,2,4,8", lanes = "1,4", device = "auto", memory = "offered,ordinary";
  double seconds = 0.3;
  int rounds = 3;
  bool choose = false;
};

Options parse(int argc, char** argv) {
  Options options;
  const std::map<std::string, std::string*> texts{{"--applications", &options.applications},
                                                  {"--sizes", &options.sizes},
                                                  {"--tasks", &options.tasks},
                                                  {"--lanes", &options.lanes},
                                                  {"--device", &options.device},
                                                  {"--memory", &options.memory}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (const auto text = texts.find(name); text != texts.end())
      *text->second = value;
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--rounds")
      options.rounds = std::stoi(value);
    else if (name == "--choose")
      options.choose = value == "1";
    else
      throw std::runtime_error("unknown option " + name);
  }
  return options;
}

// All stages that a device can compute are on it.
std::string mapping_of(const std::string& application) {
  return application == "vivid"   ? "ggg"
         : application == "srad"  ? "gggggg"
         : application == "scene" ? "gc"
                                  : "gggc";
}

// So few that the bin page-locks them all.
constexpr int kFrames = 8;

class Bench {
 public:
  Bench(const Options& options, const std::string& application, Size size, bool offered)
      : options_(options),
        mapping_(mapping_of(application)),
        size_(size),
        frames_(make_frames(size, kFrames)),
        bin_(size, ("adapt=off opencl-device=" + options.device).c_str(),
             bench_chain(application).stages) {
    for (GstBuffer* frame : frames_) input_.push_back(gst_buffer_copy_deep(frame));
    latency(mapping_ + "/cg1");  // now it knows its device
    if (!offered) return;
    const std::vector<GstBuffer*> locked = bin_.in_its_memory(frames_);
    if (locked.empty()) throw std::runtime_error("the bin offers no memory");
    for (GstBuffer* frame : std::exchange(input_, locked)) gst_buffer_unref(frame);
  }
  ~Bench() {
    for (GstBuffer* frame : input_) gst_buffer_unref(frame);
    for (GstBuffer* frame : frames_) gst_buffer_unref(frame);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  struct Row {
    std::vector<double> latency_s, device_s, fps;  // of the rounds
    double bands = 0;                              // the part of the frames that had some
  };

  Size size() const { return size_; }
  const std::vector<GstBuffer*>& frames() const { return frames_; }

  // Seconds from pad to pad of both, by turns.
  std::pair<double, double> latencies(const std::string& a, const std::string& b) {
    std::vector<double> of_a, of_b;
    for (int round = 0; round < options_.rounds; ++round) {
      of_a.push_back(latency(a));
      of_b.push_back(latency(b));
    }
    return {median(of_a), median(of_b)};
  }

  // By the number of tasks.
  std::map<int, Row> measure(const std::string& lanes) {
    std::map<int, Row> rows;
    for (int round = 0; round < options_.rounds; ++round)
      for (const std::string& tasks : split_commas(options_.tasks))
        measure(lanes, tasks, rows[std::stoi(tasks)]);
    return rows;
  }

 private:
  static constexpr int kSettle = 8, kLeast = 6;

  // Seconds that frames had a device, so far.
  double device_s() const {
    GstStructure* stats = nullptr;
    g_object_get(bin_.bin(), "stats", &stats, nullptr);
    const GValue* stages = gst_structure_get_value(stats, "stages");
    guint64 all_ns = 0, ns = 0;
    for (guint k = 0; k < gst_value_array_get_size(stages); ++k) {
      gst_structure_get_uint64(gst_value_get_structure(gst_value_array_get_value(stages, k)),
                               "device-ns", &ns);
      all_ns += ns;
    }
    gst_structure_free(stats);
    return 1e-9 * static_cast<double>(all_ns);
  }

  // One frame at a time.
  double latency(const std::string& configuration) {
    force_configuration(bin_.bin(), configuration);
    for (int i = 0; i < kSettle; ++i) bin_.run_alone(next());
    const double before_s = device_s();
    std::vector<double> taken_s;
    for (const auto start = Clock::now();
         taken_s.size() < kLeast || seconds_since(start) < options_.seconds;)
      taken_s.push_back(bin_.run_alone(next()));
    on_device_s_ = (device_s() - before_s) / static_cast<double>(taken_s.size());
    return median(taken_s);
  }

  void measure(const std::string& lanes, const std::string& tasks, Row& row) {
    const uint64_t bands = bin_.stat("frames-in-bands"), frames = bin_.stat("frames");
    const double latency_s = latency(mapping_ + "/cg1" + (lanes == "1" ? "" : "/q" + lanes) +
                                     (tasks == "1" ? "" : "/t" + tasks));
    row.latency_s.push_back(latency_s);
    row.device_s.push_back(on_device_s_);
    row.bands = static_cast<double>(bin_.stat("frames-in-bands") - bands) /
                static_cast<double>(bin_.stat("frames") - frames);
    const int several = std::max(kLeast, static_cast<int>(options_.seconds / latency_s));
    row.fps.push_back(several / bin_.run(input_, several));
  }
  GstBuffer*& next() { return input_[next_++ % input_.size()]; }

  const Options& options_;
  const std::string mapping_;
  const Size size_;
  const std::vector<GstBuffer*> frames_;
  test::BareBin bin_;
  std::vector<GstBuffer*> input_;
  std::size_t next_ = 0;
  double on_device_s_ = 0;  // of a frame, the latest mean
};

void run(const Options& options) {
  std::puts(
      "| application | size | frames | lanes | tasks | in bands | on the device, ms | "
      "of whole frames | latency, ms | of whole frames | frames/s | of whole frames |\n"
      "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const std::string& application : split_commas(options.applications))
    for (const std::string& size : split_commas(options.sizes))
      for (const std::string& memory : split_commas(options.memory)) {
        Bench bench(options, application, read_size(size), memory == "offered");
        for (const std::string& lanes : split_commas(options.lanes)) {
          std::map<int, Bench::Row> rows = bench.measure(lanes);
          Bench::Row& first = rows.begin()->second;
          const double first_s = median(first.latency_s), first_fps = median(first.fps);
          const double first_device_s = median(first.device_s);
          for (auto& [tasks, row] : rows) {
            const double s = median(row.latency_s), fps = median(row.fps);
            const double device_s = median(row.device_s);
            std::printf(
                "| %s | %s | %s | %s | %d | %.2f | %.3f | %.2f | %.3f | %.2f | %.0f | %.2f |\n",
                application.c_str(), size.c_str(), memory.c_str(), lanes.c_str(), tasks, row.bands,
                1e3 * device_s, device_s / first_device_s, 1e3 * s, s / first_s, fps,
                fps / first_fps);
          }
          std::fflush(stdout);
        }
      }
}

void choose(const Options& options) {
  std::puts(
      "| application | size | chosen by latency | seconds | latency, ms | in whole frames, ms |\n"
      "| --- | --- | --- | ---: | ---: | ---: |");
  for (const std::string& application : split_commas(options.applications))
    for (const std::string& size : split_commas(options.sizes)) {
      FedBin::Options trained;
      trained.device = options.device;
      trained.metric = "latency";
      Bench bench(options, application, read_size(size), true);
      std::string chosen;
      double seconds = 0;
      {
        FedBin bin(trained, bench_chain(application).stages, "caps");
        bin.begin(bench.size());
        const auto start = Clock::now();
        if (!bin.run_until_decided(bench.frames(), 20)) continue;
        seconds = seconds_since(start);
        chosen = bin.stats().configuration;
      }
      const std::size_t tasks = chosen.find("/t");
      const std::string whole = chosen.substr(0, tasks);
      const auto [in_bands_s, whole_s] = bench.latencies(chosen, whole);
      std::printf("| %s | %s | %s | %.2f | %.3f | %.3f |\n", application.c_str(), size.c_str(),
                  chosen.c_str(), seconds, 1e3 * in_bands_s, 1e3 * whole_s);
      std::fflush(stdout);
    }
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    options.choose ? choose(options) : tandem::run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
