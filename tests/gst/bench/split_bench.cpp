// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame at a time on both sides: how much sooner it is there than on the better side, of what
// the rates of the two sides allow, share by share; and what the bin makes of it.
//   split_bench [--application vivid] [--sizes 600x416,1920x1080] [--device auto] [--cores 0]
//               [--shares 2,4,6,8] [--step 5] [--seconds 1] [--rounds 3] [--iterations 1]
//               [--memory offered|ordinary] [--fresh 0|1] [--least 0|1] [--trace 0|1]
//               [--stream 0|1] [--also cggggg/cg1] [--choose latency,energy,edp]
//               [--energy-source auto]
// `--step`: percent from one share to the next, beside `--shares`. `--also`: configurations beside
// these. `--fresh 1`: each frame is written just before it is sent, as sources do. `--device any
// --cores 1`: PoCL beside one core. `--iterations`: of SRAD. `--least 1`: the least of all frames
// instead of the median of the rounds, for a machine that others use. `--trace 1`: where the time
// of split frames goes. `--stream 1`: frames/s as well, with frames waiting.
// `--choose`: the share that is found with split=auto, and what these metrics choose; `none`: the
// share alone. Where one of them needs energy, what frames cost in joules while they wait.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/median.h"
#include "tests/gst/bench/support/bare_bin.h"
#include "tests/gst/bench/support/bench_energy.h"
#include "tests/gst/bench/support/split_trace.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

struct Options {
  FedBin::Options bin{.max_overhead = 0.9};  // what is chosen matters, not how soon
  std::string application = "vivid", sizes, shares, also, choose;
  int step = 5, rounds = 3, iterations = 1;
  double seconds = 1;
  bool offered = true, fresh = false, least = false, trace = false, stream = false;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--application")
      options.application = value;
    else if (name == "--sizes")
      options.sizes = value;
    else if (name == "--device")
      options.bin.device = value;
    else if (name == "--cores")
      options.bin.cores = std::stoi(value);
    else if (name == "--shares")
      options.shares = value;
    else if (name == "--also")
      options.also = value;
    else if (name == "--step")
      options.step = std::max(1, std::stoi(value));
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--rounds")
      options.rounds = std::stoi(value);
    else if (name == "--iterations")
      options.iterations = std::stoi(value);
    else if (name == "--memory")
      options.offered = value == "offered";
    else if (name == "--fresh")
      options.fresh = value == "1";
    else if (name == "--least")
      options.least = value == "1";
    else if (name == "--trace")
      options.trace = value == "1";
    else if (name == "--stream")
      options.stream = value == "1";
    else if (name == "--choose")
      options.choose = value;
    else if (name == "--energy-source")
      options.bin.energy_source = value;
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.sizes.empty())
    options.sizes = options.application == "srad" ? "458x502,1920x1080" : "600x416,1920x1080";
  return options;
}

std::string stages_of(const Options& options) {
  std::string launch = bench_chain(options.application).stages;
  if (const std::size_t at = launch.find("sradupdate"); at != std::string::npos)
    launch.insert(at + 10, " iterations=" + std::to_string(options.iterations));
  return launch;
}

struct Alone {
  std::vector<double> rounds_s;
  double told_s = 0;  ///< the median by the bin's own account, in the last round
  std::size_t frames = 0;
  Trace trace;
};

// Frames one at a time, from pad to pad, by turns under each of the configurations.
class Bench {
 public:
  // `device` names the configuration that has all on the device.
  Bench(const Options& options, Size size, const std::string& device)
      : options_(options),
        frames_(size),
        bin_(size,
             ("adapt=off opencl-device=" + options.bin.device +
              " cores=" + std::to_string(options.bin.cores))
                 .c_str(),
             stages_of(options)) {
    for (GstBuffer* frame : frames_.buffers) input_.push_back(gst_buffer_copy_deep(frame));
    if (options.offered) take_offered(device);
  }
  ~Bench() {
    for (GstBuffer* frame : input_) gst_buffer_unref(frame);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void measure(const std::vector<std::string>& configurations) {
    for (int round = 0; round < options_.rounds; ++round)
      for (const std::string& each : configurations) measure(each, alone_[each]);
  }

  double seconds(const std::string& configuration) const {
    std::vector<double> all = alone_.at(configuration).rounds_s;
    return options_.least ? std::ranges::min(all) : median(all);
  }
  const Alone& alone(const std::string& configuration) const { return alone_.at(configuration); }
  const char* memory() const { return offered_ ? "offered" : "ordinary"; }

 private:
  // Nothing is offered before a configuration uses the device and a frame has opened it.
  void take_offered(const std::string& device) {
    force_configuration(bin_.bin(), device);
    bin_.run_alone(next());
    std::vector<GstBuffer*> offered = bin_.in_its_memory(frames_.buffers);
    offered_ = offered.size() == input_.size();
    if (offered_) std::swap(input_, offered);
    for (GstBuffer* frame : offered) gst_buffer_unref(frame);
  }
  void measure(const std::string& configuration, Alone& alone) {
    constexpr int kSettle = 8, kLeast = 12;
    force_configuration(bin_.bin(), configuration);
    for (int i = 0; i < kSettle; ++i) bin_.run_alone(next());
    const Trace before = Trace::of(bin_.bin());
    std::vector<double> taken_s;
    for (const auto start = Clock::now();
         taken_s.size() < kLeast || seconds_since(start) < options_.seconds;)
      taken_s.push_back(bin_.run_alone(next_written()));
    alone.told_s = 1e-3 * ms_of(bin_.bin(), "latency-p50");
    alone.frames = taken_s.size();
    alone.rounds_s.push_back(options_.least ? std::ranges::min(taken_s) : median(taken_s));
    alone.trace = Trace::of(bin_.bin()).since(before);
  }
  // By this thread, as the source would.
  GstBuffer*& next_written() {
    GstBuffer*& frame = next();
    if (!options_.fresh) return frame;
    GstMapInfo map;
    gst_buffer_map(frames_.buffers[next_ % frames_.buffers.size()], &map, GST_MAP_READ);
    gst_buffer_fill(frame, 0, map.data, map.size);
    gst_buffer_unmap(frames_.buffers[next_ % frames_.buffers.size()], &map);
    return frame;
  }
  GstBuffer*& next() { return input_[next_++ % input_.size()]; }

  const Options& options_;
  const Frames frames_;
  test::BareBin bin_;
  std::vector<GstBuffer*> input_;
  bool offered_ = false;
  std::size_t next_ = 0;
  std::map<std::string, Alone> alone_;
};

struct Names {
  explicit Names(const std::string& launch)
      : stages(static_cast<std::size_t>(1 + std::ranges::count(launch, '!'))) {}
  std::string cores() const { return std::string(stages, 'c') + "/mg"; }
  std::string device() const { return std::string(stages, 'g') + "/cg1"; }
  std::string split(int share) const {
    return std::string(stages, 's') + "/mg/a" + std::to_string(share);
  }
  const std::size_t stages;
};

int share_of(const std::string& configuration) {
  const std::size_t at = configuration.find("/a");
  return at == std::string::npos ? 0 : std::stoi(configuration.substr(at + 2));
}

void print_trace(const Bench& bench, const std::vector<std::string>& configurations) {
  std::printf("\n| microseconds of a frame | segments |");
  for (const char* part : Trace::kParts) std::printf(" %.*s |", int(strlen(part)) - 3, part);
  std::printf(" the rest |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const std::string& each : configurations) {
    const Alone& alone = bench.alone(each);
    if (alone.trace.segments == 0) continue;
    const double frames = static_cast<double>(alone.frames);
    std::printf("| %s | %.1f |", each.c_str(), static_cast<double>(alone.trace.segments) / frames);
    double sum = 0;
    for (const char* part : Trace::kParts) {
      const double us = alone.trace.sums.at(part) / frames;
      std::printf(" %.0f |", us);
      sum += std::string(part) == "cores-us" || std::string(part) == "enqueue-us" ? 0 : us;
    }
    const auto& sums = alone.trace.sums;
    // The thread waits after the slower of what is enqueued and what the cores compute.
    sum -= (sums.at("device-us") + sums.at("wait-us")) / frames;
    sum += std::max(sums.at("cores-us"), sums.at("device-us")) / frames;
    std::printf(" %.0f |\n", 1e6 * alone.rounds_s.back() - sum);
  }
}

// Frames are split whatever that gains.
constexpr char kForced[] = "split=auto";
constexpr char kNoMetric[] = "none";

struct Choice {
  std::string by, configuration;  ///< the latter is empty where nothing was decided in time
};

// What a bin makes of split=auto, and of each metric. No other bin shares the machine meanwhile.
std::vector<Choice> choices(const Options& options, const Names& names, Size size) {
  constexpr double kMostSeconds = 60;
  std::vector<Choice> all;
  if (options.choose.empty()) return all;
  const Frames frames(size);
  const auto add = [&](const std::string& by, const std::string& metric,
                       const std::string& mapping) {
    FedBin::Options trained = options.bin;
    trained.metric = metric;
    FedBin bin(trained, stages_of(options), "caps");
    bin.set("mapping", mapping.c_str());
    bin.begin(size);
    std::optional<OfferedFrames> offered;
    if (options.offered) offered.emplace(bin, frames.buffers);
    const bool decided =
        bin.run_until_decided(offered ? offered->buffers() : frames.buffers, kMostSeconds);
    all.push_back({by, decided ? bin.stats().configuration : std::string()});
  };
  add(kForced, "latency", std::string(names.stages, 's'));
  for (const std::string& metric : split_commas(options.choose))
    if (metric != kNoMetric) add(metric, metric, "auto");
  return all;
}

void print_choices(const std::vector<Choice>& choices, const Bench& bench, double better_s,
                   const std::string& best) {
  std::printf(
      "\n| | chosen | ms | of the better side | points from the best share | time of it |\n"
      "| --- | --- | ---: | ---: | ---: | ---: |\n");
  int slower = 0;
  for (const auto& [by, chosen] : choices) {
    if (chosen.empty()) {
      std::printf("| %s | nothing within a minute | | | | |\n", by.c_str());
      continue;
    }
    const double chosen_s = bench.seconds(chosen);
    std::printf("| %s | %s | %.3f | %.2f |", by.c_str(), chosen.c_str(), 1e3 * chosen_s,
                better_s / chosen_s);
    if (share_of(chosen) > 0) {
      std::printf(" %d | %.3f |\n", std::abs(share_of(chosen) - share_of(best)),
                  chosen_s / bench.seconds(best));
    } else {
      std::printf(" | |\n");
    }
    slower += by != kForced && share_of(chosen) > 0 && chosen_s > 1.03 * better_s;
  }
  std::printf("\n%d chosen splits are slower than the better side by more than 3%%\n", slower);
}

// What frames cost in joules: of both sides, of the best share and of what was chosen.
void print_energy(const Options& options, const Names& names, const std::vector<Choice>& choices,
                  const Frames& frames, const std::string& best) {
  constexpr double kSeconds = 1;
  const std::unique_ptr<EnergyMeter> meter = bench_meter(options.bin.energy_source);
  if (!meter) return std::puts("\nno energy is known"), void();
  std::printf(
      "\n| %s | chosen by | frames/s | mJ a frame | frames/s / mJ |\n"
      "| --- | --- | ---: | ---: | ---: |\n",
      meter->description().coverage.c_str());
  std::map<std::string, std::string> by{{names.cores(), ""}, {names.device(), ""}, {best, ""}};
  for (const auto& [metric, chosen] : choices)
    if (!chosen.empty()) by[chosen] += (by[chosen].empty() ? "" : ", ") + metric;
  for (const auto& [configuration, metrics] : by) {
    const FrameCosts costs =
        frame_costs(options.bin, stages_of(options), frames, configuration, *meter, kSeconds);
    std::printf("| %s | %s | %.0f | %.2f | %.1f |\n", configuration.c_str(), metrics.c_str(),
                costs.fps, 1e3 * costs.frame_j, 1e-3 * costs.fps / costs.frame_j);
  }
}

bool needs_joules(const std::vector<Choice>& choices) {
  return std::ranges::any_of(choices, [](const Choice& choice) {
    return choice.by == "energy" || choice.by == "efficiency" || choice.by == "edp";
  });
}

// Those to measure: both sides, shares, what is asked for and what was chosen.
std::vector<std::string> to_measure(const Options& options, const Names& names,
                                    const std::vector<Choice>& chosen) {
  std::vector<std::string> all{names.cores(), names.device()};
  std::set<int> shares;
  for (const std::string& share : split_commas(options.shares)) shares.insert(std::stoi(share));
  for (int share = options.step; share < 100; share += options.step) shares.insert(share);
  for (const int share : shares) all.push_back(names.split(share));
  const auto add = [&](const std::string& each) {
    if (!each.empty() && std::ranges::count(all, each) == 0) all.push_back(each);
  };
  for (const std::string& each : split_commas(options.also)) add(each);
  for (const Choice& choice : chosen) add(choice.configuration);
  return all;
}

// Prints how soon each is done; returns the best share.
std::string measure_alone(const Options& options, const Names& names, Size size,
                          const std::vector<Choice>& chosen,
                          const std::vector<std::string>& configurations,
                          std::map<std::string, double> fps) {
  Bench bench(options, size, names.device());
  bench.measure(configurations);
  const double cores_s = bench.seconds(names.cores()), device_s = bench.seconds(names.device());
  const double better_s = std::min(cores_s, device_s);
  const double allowed = better_s * (1 / cores_s + 1 / device_s);
  std::printf(
      "\n%s %s, %s memory: %s %.3f ms, %s %.3f ms; the rates allow %.2f times the better side\n\n",
      options.application.c_str(), text_of(size).c_str(), bench.memory(), names.cores().c_str(),
      1e3 * cores_s, names.device().c_str(), 1e3 * device_s, allowed);
  std::printf(
      "| configuration | ms | of the better side | of what the rates allow | frames/s | ms by the "
      "bin "
      "|\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: |\n");
  std::string best;
  for (const std::string& each : configurations) {
    const double gain = better_s / bench.seconds(each);
    std::printf("| %s | %.3f | %.2f | %.2f | %.0f | %.3f |\n", each.c_str(),
                1e3 * bench.seconds(each), gain, gain / allowed, fps[each],
                1e3 * bench.alone(each).told_s);
    if (share_of(each) > 0 && (best.empty() || bench.seconds(each) < bench.seconds(best)))
      best = each;
  }
  if (options.trace) print_trace(bench, configurations);
  if (!chosen.empty()) print_choices(chosen, bench, better_s, best);
  return best;
}

// No two bins are alive at the same time: they would share the machine.
void measure(const Options& options, Size size) {
  const Names names(stages_of(options));
  const std::vector<Choice> chosen = choices(options, names, size);
  const std::vector<std::string> configurations = to_measure(options, names, chosen);
  const Frames frames(size);
  std::map<std::string, double> fps;
  if (options.stream) {
    for (const Rate& rate : steady_rates(options.bin, stages_of(options), frames, configurations,
                                         options.seconds, options.rounds))
      fps[rate.configuration] = rate.fps;
  }
  const std::string best = measure_alone(options, names, size, chosen, configurations, fps);
  if (needs_joules(chosen)) print_energy(options, names, chosen, frames, best);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  const Options options = parse(argc, argv);
  for (const std::string& size : split_commas(options.sizes)) measure(options, read_size(size));
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  try {
    return tandem::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return EXIT_FAILURE;
  }
}
