// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "kernels/opencl/opencl.h"
#include "pipelines/progress.h"
#include "pipelines/tandem/bench/pipeline.h"
#include "pipelines/tandem/bench/report.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/input/input_uri.h"
#include "pipelines/tandem/options/applications.h"
#include "pipelines/tandem/options/bin_options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/tandem/pipeline/interruption.h"

namespace tandem {
namespace {

constexpr int kFramesInMemory = 64;
// The finals: the number of configurations by each metric, and how much longer each runs.
constexpr std::size_t kFinalists = 8;
constexpr int kFinalTime = 5;

struct BenchSettings {
  std::string application, input, json;
  std::vector<std::string> metrics;
  Size size;
  int frames = 100, repeat = 1, finals = 0;
  double least_seconds = 0.5;
  bool splits = false;
  BinSettings bin;
};

BenchSettings parse_bench_settings(std::vector<std::string> arguments) {
  BenchSettings settings;
  const Application* application = take_application(arguments, "bench");
  std::string size;
  std::optional<int> frames, repeat, finals;
  std::optional<double> seconds;
  OptionParser parser("bench APPLICATION",
                      "Measures every configuration of stages, granularity and threads of:\n" +
                          list_applications());
  parser.add("size", size, "WxH", "size of the frames (default: one for each application)");
  parser.add("frames", frames, "N", "frames to time in each configuration (default: 100)");
  parser.add("seconds", seconds, "S", "least time for each configuration (default: 0.5)");
  parser.add("repeat", repeat, "R",
             "take the medians of R rounds, each of a training and all configurations");
  parser.add(
      "finals", finals, "R",
      "measure again, R rounds of five times as long: the eight best by each metric with what was "
      "chosen, then the winners with what was chosen, because the best of many short runs was "
      "lucky");
  std::optional<int> lanes;
  parser.add("lanes", lanes, "S",
             "frames on the device at a time (default: 1, 2, 4 and 8 on a GPU)");
  parser.add("split", settings.splits,
             "measure frames that device and CPU compute together as well, with 10, 20 ... 90 "
             "percent of the rows on the CPU");
  parser.add("json", settings.json, "FILE",
             "write the results as JSON (docs/bench-json.md); - is standard output");
  parser.add("input", settings.input, "FILE|URI",
             "frames of this video instead of a moving pattern");
  add_model_options(parser, settings.bin, Subcommand::bench);
  parser.parse(std::move(arguments));
  if (!application) return settings;  // never: parse() prints the help and exits
  settings.application = application->name;
  if (settings.bin.stages.empty()) check_model(*application, settings.bin.model);
  if (settings.bin.stages.empty()) settings.bin.stages = application->bench_stages;
  settings.size = size.empty() ? application->bench_size : parse_size("size", size);
  settings.frames = at_least("frames", frames, 1, settings.frames);
  settings.repeat = at_least("repeat", repeat, 1, settings.repeat);
  settings.finals = at_least("finals", finals, 0, settings.finals);
  at_least("cores", settings.bin.cores, 1, 0);
  if (lanes) settings.bin.lanes = at_least("lanes", lanes, 1, 1);
  if (settings.bin.target_latency == 0) settings.bin.target_latency.reset();
  settings.metrics = split(settings.bin.metric.empty() ? "throughput" : settings.bin.metric, ',');
  settings.bin.metric.clear();
  if (settings.bin.knowledge.empty()) settings.bin.knowledge = "off";  // it measures trainings
  if (seconds && !(*seconds >= 0)) throw UsageError("--seconds: cannot be negative");
  settings.least_seconds = seconds.value_or(settings.least_seconds);
  return settings;
}

// The device that tandembin will use, or none, with the reason on the terminal.
std::optional<opencl::DeviceDescription> find_device(const std::string& selector) {
  try {
    return opencl::Context::open(selector.empty() ? "auto" : selector)->device();
  } catch (const opencl::Error& error) {
    std::printf("Only configurations without a device are measured: %s\n", error.what());
    return std::nullopt;
  }
}

// As tandembin tries them: a device made of the cores has nothing to overlap.
std::vector<int> lanes_of(const std::optional<opencl::DeviceDescription>& device,
                          const BenchSettings& settings) {
  if (!device) return {};
  if (settings.bin.lanes) return {*settings.bin.lanes};
  return device->is_cpu ? std::vector<int>{1} : std::vector<int>{1, 2, 4, 8};
}

using Trainings = std::vector<BenchPipeline::Trained>;

const std::atomic<bool>& interrupted = Interruption::came();

// Lets tandembin choose, as it would in a stream, by each metric.
void train(BenchPipeline& pipeline, const BenchSettings& settings, ProgressLine& progress,
           Trainings& trainings) {
  for (const std::string& metric : settings.metrics) {
    if (interrupted) return;
    progress.show("bench " + settings.application + ": training for " + metric);
    trainings.push_back(pipeline.train(metric));
  }
}

void measure_round(BenchPipeline& pipeline, const BenchSettings& settings, int round,
                   ProgressLine& progress, BenchResult& result) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t all = result.measurements.size();
  for (std::size_t done = 0; done < all && !interrupted; ++done) {
    BenchMeasurement& measurement = result.measurements[done];
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const std::size_t left = all * static_cast<std::size_t>(settings.repeat - round) - done;
    progress.show("bench " + settings.application + " " + to_string(settings.size) + ", round " +
                  std::to_string(round + 1) + " of " + std::to_string(settings.repeat) + ": " +
                  std::to_string(done) + " of " + std::to_string(all) + ", now " +
                  measurement.configuration.name() +
                  (done ? ", " + clock_time(elapsed.count() / done * left) + " left" : ""));
    pipeline.measure(settings.frames, settings.least_seconds, measurement);
  }
}

// `names` again, in turns and at length; what they reached before no longer counts.
void measure_heat(BenchPipeline& pipeline, const BenchSettings& settings, int heat,
                  const std::set<std::string>& names, ProgressLine& progress, BenchResult& result) {
  std::vector<std::pair<BenchMeasurement*, BenchMeasurement>> again;
  for (BenchMeasurement& before : result.measurements) {
    if (!names.contains(before.configuration.name())) continue;
    again.push_back({&before, {before.configuration, {}}});
    again.back().second.heat = heat;
  }
  for (int round = 0; round < settings.finals; ++round) {
    for (auto& [before, measurement] : again) {
      if (interrupted) return;
      progress.show("bench " + settings.application + " " + to_string(settings.size) +
                    (heat == 1 ? ", final round " : ", match ") + std::to_string(round + 1) +
                    " of " + std::to_string(settings.finals) + ", now " +
                    measurement.configuration.name());
      pipeline.measure(settings.frames, kFinalTime * settings.least_seconds, measurement);
    }
  }
  for (auto& [before, measurement] : again) *before = std::move(measurement);
}

// First the finals: the best by each metric and what was chosen. Then a match between the winners
// and what was chosen. The best of many medians is lucky, even of long runs, and the winner's luck
// must not count against the choice.
void measure_finals(BenchPipeline& pipeline, const BenchSettings& settings,
                    const Trainings& trainings, ProgressLine& progress, BenchResult& result) {
  for (const auto& [heat, most] : {std::pair<int, std::size_t>{1, kFinalists}, {2, 1}}) {
    std::set<std::string> names;
    for (const BenchPipeline::Trained& trained : trainings) names.insert(trained.chosen);
    for (const std::string& metric : settings.metrics) {
      result.metric = metric;
      const std::vector<const BenchMeasurement*> ranked = rank(result);
      for (std::size_t i = 0; i < ranked.size() && i < most; ++i)
        names.insert(ranked[i]->configuration.name());
    }
    if (names.size() > 1) measure_heat(pipeline, settings, heat, names, progress, result);
  }
}

// tandembin predicts what it can run: no stage without an OpenCL implementation on the device.
void keep_possible(const BenchPipeline::Trained& trained, BenchResult& result) {
  if (trained.predictions.empty()) return;
  std::erase_if(result.measurements, [&](const BenchMeasurement& measurement) {
    return !trained.predictions.contains(measurement.configuration.name());
  });
}

// All stages that can be split; the others on the CPU, where that can compute them.
void add_splits(const BenchPipeline::Trained& trained, const BenchPipeline& pipeline,
                BenchResult& result) {
  std::string mapping;
  for (int k = 0; k < pipeline.stages(); ++k) {
    const auto on_cpu = [&](const auto& predicted) {
      return predicted.first[static_cast<std::size_t>(k)] == 'c';
    };
    const bool device_only =
        !trained.predictions.empty() && std::ranges::none_of(trained.predictions, on_cpu);
    mapping += pipeline.can_split(k) ? 's' : device_only ? 'g' : 'c';
  }
  if (mapping.find('s') == std::string::npos) {
    std::printf("No frame is split: none of the stages can be, or there is no device.\n");
    return;
  }
  for (BenchConfiguration& configuration : split_configurations(mapping))
    result.measurements.push_back({std::move(configuration), {}});
}

// A split or bands that were chosen are measured too: no list has every share, and none has bands.
void add_chosen(const Trainings& trainings, BenchResult& result) {
  for (const BenchPipeline::Trained& trained : trainings) {
    const std::optional<BenchConfiguration> unlisted = read_unlisted(trained.chosen);
    if (unlisted && !find_measurement(result, trained.chosen))
      result.measurements.push_back({*unlisted, {}});
  }
}

// The choice of most rounds, the first of equals, and medians of what was predicted.
void take_over(const Trainings& trainings, const std::string& metric, BenchResult& result) {
  std::map<std::string, int> rounds;
  std::map<std::string, std::vector<Performance>> by_model, of_chosen;
  for (const BenchPipeline::Trained& trained : trainings) {
    if (trained.metric != metric) continue;
    ++rounds[trained.chosen];
    of_chosen[trained.chosen].push_back(trained.predicted);
    for (const auto& [name, expected] : trained.predictions) by_model[name].push_back(expected);
  }
  const BenchPipeline::Trained* most = nullptr;
  for (const BenchPipeline::Trained& trained : trainings) {
    if (trained.metric == metric && (!most || rounds[trained.chosen] > rounds[most->chosen]))
      most = &trained;
  }
  g_assert(most);  // each round trains for each metric
  result.metric = metric;
  result.training = {most->chosen,      median_of(of_chosen[most->chosen]),
                     most->experiments, most->frames,
                     most->seconds,     most->trials,
                     most->ranking,     most->expected_loss};
  for (BenchMeasurement& measurement : result.measurements)
    measurement.predicted = median_of(by_model[measurement.configuration.name()]);
}

// One file for one metric; with several, bench.json becomes bench-efficiency.json and so on.
std::string json_path(const BenchSettings& settings, const std::string& metric) {
  if (settings.metrics.size() == 1) return settings.json;
  const std::filesystem::path path(settings.json);
  return (path.parent_path() / (path.stem().string() + "-" + metric + path.extension().string()))
      .string();
}

// The earlier method that Vilches compares with: its device stages wait for the device.
void measure_baseline(BenchPipeline& pipeline, const BenchSettings& settings, BenchResult& result) {
  const std::optional<std::string> mapping = baseline_mapping(result);
  if (!mapping) return;
  result.baseline = BenchMeasurement{{*mapping, std::nullopt}, {}};
  for (int round = 0; round < settings.repeat && !(interrupted && round); ++round)
    pipeline.measure(settings.frames, settings.least_seconds, *result.baseline, false);
}

std::string aim_of(const BenchSettings& settings, const std::string& metric) {
  const std::optional<double>& target_ms = settings.bin.target_latency;
  return target_ms ? "throughput below " + to_text(*target_ms) + " ms" : metric;
}

std::string json_text(const BenchResult& result) {
  return to_json(result).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

// One for each metric.
std::vector<TextOutput> json_outputs(const BenchSettings& settings, const std::string& uri) {
  std::vector<TextOutput> outputs;
  if (settings.json.empty()) return outputs;
  claim_input(settings.bin.model);
  if (settings.json == "-" && settings.metrics.size() > 1)
    throw UsageError("--json: standard output accepts one metric; name a file for several");
  for (const std::string& metric : settings.metrics) {
    const std::string path = json_path(settings, metric);
    if (!outputs.emplace_back("--json", path).is_standard_output())
      check_keeps_input("--json", path, uri);
  }
  return outputs;
}

}  // namespace

int bench_command(const std::vector<std::string>& arguments) {
  BenchSettings settings = parse_bench_settings(arguments);
  gst_init(nullptr, nullptr);
  Interruption::prepare();
  const std::string uri = settings.input.empty() ? "" : input_uri(settings.input);
  std::vector<TextOutput> outputs = json_outputs(settings, uri);

  BenchResult result{.origin = bench_origin(settings.input),
                     .application = settings.application,
                     .width = settings.size.width,
                     .height = settings.size.height,
                     .frames = settings.frames,
                     .target_latency_ms = settings.bin.target_latency};
  const auto device = find_device(settings.bin.opencl_device);
  if (device) result.opencl_device = device->name;
  const FrameStore frames =
      load_frames(uri, settings.size, std::min(kFramesInMemory, settings.frames));
  // To begin with; it opens the device and the energy source that all configurations use.
  settings.bin.adapt = "off";
  settings.bin.device = result.opencl_device ? "opencl" : "cpu";
  BenchPipeline pipeline(frames, settings.bin);
  result.cores = pipeline.cores();
  for (BenchConfiguration& configuration :
       bench_configurations(pipeline.stages(), result.cores, lanes_of(device, settings))) {
    result.measurements.push_back({std::move(configuration), {}});
  }
  // Whole rounds, each with its own training, so that a slow minute of the machine touches all
  // configurations and predictions alike.
  Trainings trainings;
  std::optional<Interruption> listening(std::in_place);
  ProgressLine progress;
  for (int round = 0; round < settings.repeat && !interrupted; ++round) {
    train(pipeline, settings, progress, trainings);
    progress.clear();
    if (trainings.size() < settings.metrics.size()) return kInterruptedStatus;
    if (round == 0) keep_possible(trainings[0], result);
    if (round == 0 && settings.splits) add_splits(trainings[0], pipeline, result);
    if (round == 0) add_chosen(trainings, result);
    measure_round(pipeline, settings, round, progress, result);
  }
  const std::size_t unmeasured = std::erase_if(
      result.measurements, [](const BenchMeasurement& one) { return one.rounds_fps.empty(); });
  if (result.measurements.empty()) return kInterruptedStatus;
  if (settings.finals > 0) measure_finals(pipeline, settings, trainings, progress, result);
  if (result.opencl_device) measure_baseline(pipeline, settings, result);
  progress.clear();
  listening.reset();
  if (const std::string source = pipeline.energy_source(); !source.empty())
    result.energy_source = source;

  if (interrupted)
    std::printf("Interrupted: the figures are of fewer rounds, and %zu configurations have none.\n",
                unmeasured);
  std::printf("%s %s, %d cores, %s, %d frames or more each, %d round%s\n",
              settings.application.c_str(), to_string(settings.size).c_str(), result.cores,
              result.opencl_device ? result.opencl_device->c_str() : "no OpenCL device",
              settings.frames, settings.repeat, settings.repeat == 1 ? "" : "s, median");
  auto output = outputs.begin();
  for (const std::string& metric : settings.metrics) {
    take_over(trainings, metric, result);
    std::printf("\nby %s:\n%s", aim_of(settings, metric).c_str(), to_table(result).c_str());
    if (output != outputs.end()) output++->write(json_text(result));
  }
  return interrupted ? kInterruptedStatus : 0;
}

}  // namespace tandem
