// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/measure.h"

#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>

#include "files/replace_file.h"
#include "pipelines/progress.h"
#include "pipelines/tandem/bench/origin.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/pipeline/interruption.h"
#include "pipelines/tandem/streams/streams.h"
#include "scheduler/machine/cores.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;
using streams::Sample;
using streams::SampleTable;

constexpr double kSaveEvery_s = 10;

const std::atomic<bool>& interrupted = Interruption::came();

std::vector<int> numbers(const char* option, const std::string& text, int most) {
  std::vector<int> values;
  for (const std::string& word : split(text, ',')) {
    int value = 0;
    read_value(option, word, value);
    if (value < 1 || value > most)
      throw UsageError("--" + std::string(option) + ": " + word + " is not from 1 to " +
                       std::to_string(most));
    values.push_back(value);
  }
  return values;
}

double since_s(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Settings {
  std::string output, device = "any";
  std::vector<std::string> places;
  streams::MeasureOptions options;
  double budget_s = std::numeric_limits<double>::infinity();
  Size size{1920, 1080};
};

class Measuring {
 public:
  explicit Measuring(const Settings& settings) : settings_(settings), device_(settings.device) {
    describe();
    if (std::filesystem::exists(settings.output)) resume();
  }

  int all() {
    const auto paths = streams::find_stage_files(settings_.places);
    if (paths.empty()) throw Failure("there are no stage files (*.cl) to measure");
    std::optional<Interruption> listening(std::in_place);
    const auto begin = Clock::now();
    auto saved = begin;
    bool late = false;
    for (std::size_t i = 0; i < paths.size() && !interrupted; ++i) {
      const double left_s = settings_.budget_s - since_s(begin);
      late = left_s <= 0;
      if (late) break;
      show(i, paths.size(), since_s(begin));
      measure_one(paths[i], left_s / static_cast<double>(paths.size() - i));
      if (since_s(saved) < kSaveEvery_s) continue;
      save();
      saved = Clock::now();
    }
    listening.reset();
    save();
    finish(paths.size(), late, since_s(begin));
    return interrupted ? kInterruptedStatus : problems_ > 0 ? 1 : 0;
  }

 private:
  void describe() {
    const BenchOrigin origin = bench_origin("");
    const opencl::DeviceDescription& device = device_.description();
    table_.origin = {.version = origin.version,
                     .date = origin.date,
                     .processor = origin.processor.value_or(""),
                     .device = device.name,
                     .platform = device.platform,
                     .driver = device.driver,
                     .is_cpu = device.is_cpu};
    table_.host = origin.host;
    table_.cores = usable_physical_cores();
    for (int groups = 2; groups <= device_.most_partitions(); groups *= 2)
      if (device_.has_own_cores(groups))
        table_.own_cores += (table_.own_cores.empty() ? "" : " ") + std::to_string(groups);
    table_.counters = counters_.problem();
  }

  void resume() {
    SampleTable before = read_sample_file(settings_.output);
    const StreamOrigin &was = before.origin, &now = table_.origin;
    if (was.device != now.device || was.driver != now.driver || was.processor != now.processor ||
        was.version != now.version)
      throw Failure("'" + settings_.output + "' belongs to another machine or version: " +
                        was.device + ", " + was.driver + ", tandem " + was.version,
                    "Name a new file.");
    table_.samples = std::move(before.samples);
    // Samples that were left out get another chance: there may be more time now.
    std::erase_if(table_.samples, [](const Sample& sample) { return sample.grid.empty(); });
  }

  void show(std::size_t done, std::size_t all, double elapsed_s) {
    line_.show("measured " + std::to_string(done) + " of " + std::to_string(all) + " on " +
               table_.origin.device + ", " + clock_time(elapsed_s));
  }

  void measure_one(const std::string& path, double most_s) {
    try {
      const auto workload =
          streams::load_workload(path, settings_.size.width, settings_.size.height);
      if (table_.find(workload.name, workload.data)) return;
      streams::MeasureOptions options = settings_.options;
      options.most_s = std::min(options.most_s, most_s);
      Sample sample = measure(device_, workload, options, counters_, interrupted);
      if (interrupted) return;
      table_.samples.push_back(std::move(sample));
    } catch (const std::exception& error) {
      line_.clear();
      std::fprintf(stderr, "tandem: %s\n", error.what());
      ++problems_;
    }
  }

  void save() {
    const std::string text = write_samples(table_);
    const std::string problem = replace_file(settings_.output, text, Durable::kNo);
    if (!problem.empty()) throw Failure("'" + settings_.output + "' " + problem);
    if (write_samples(read_sample_file(settings_.output)) != text)
      throw Failure("'" + settings_.output + "' does not hold the written text");
  }

  void finish(std::size_t all, bool late, double elapsed_s) {
    line_.clear();
    std::size_t measured = 0;
    for (const Sample& sample : table_.samples) {
      measured += !sample.grid.empty();
      if (!sample.left_out.empty())
        std::printf("%s, %s: %s\n", sample.program.c_str(), sample.data.c_str(),
                    sample.left_out.c_str());
    }
    std::printf("%s: %zu of %zu samples on %s after %s%s\n", settings_.output.c_str(), measured,
                all, table_.origin.device.c_str(), clock_time(elapsed_s).c_str(),
                interrupted ? ", interrupted"
                : late      ? ", at its time limit"
                            : "");
    if (interrupted || late) std::puts("The same command continues.");
    if (table_.origin.is_cpu && table_.own_cores.empty())
      std::puts("Partitions of this device have no cores of their own: they share all cores.");
    if (!table_.counters.empty())
      std::printf("Hardware counters are left out: %s\n", table_.counters.c_str());
    if (problems_ > 0) std::printf("%d stage files could not be measured\n", problems_);
  }

  const Settings& settings_;
  streams::HardwareCounters counters_;  // before the device, whose threads it counts
  StreamDevice device_;
  SampleTable table_;
  ProgressLine line_;
  int problems_ = 0;
};

}  // namespace

int streams_measure(const std::vector<std::string>& arguments) {
  Settings settings;
  std::string partitions, tasks, size;
  double seconds = 0, most_s = settings.options.most_s;
  OptionParser parser("streams measure",
                      "Times stage files as streams: cut into tasks, which are uploaded, computed "
                      "and downloaded on partitions of a device (docs/streams.md). Ctrl-C keeps "
                      "the samples; the same command continues.");
  parser.add("output", settings.output, "FILE", "the table of samples (JSON)", 'o');
  parser.add("opencl-device", settings.device, "NAME",
             "any (the default), or part of a device's name");
  parser.add("partitions", partitions, "N,N...", "partitions of the device (default: 1,2,4,8,16)");
  parser.add("tasks", tasks, "N,N...",
             "tasks: multiples of the partitions (default: 1,2,4,8,16,32)");
  parser.add("seconds-budget", seconds, "N",
             "end after N seconds, shared by the remaining stage files");
  parser.add("most-seconds", most_s, "N", "seconds for one stage file (default: 2)");
  parser.add("size", size, "WxH", "of frames, if a file states none (default: 1920x1080)");
  parser.add_operands(settings.places, "FILE.cl|FOLDER...");
  parser.parse(arguments);
  if (settings.places.empty())
    throw UsageError(
        "measure needs stage files, as in: tandem streams measure stages -o h200.json");
  if (settings.output.empty())
    throw UsageError("--output FILE is missing: name the table to write");
  check_output_file("--output", settings.output);
  if (!partitions.empty()) settings.options.partitions = numbers("partitions", partitions, 16);
  if (!tasks.empty()) settings.options.tasks = numbers("tasks", tasks, 1024);
  if (!size.empty()) settings.size = parse_size("--size", size);
  if (seconds < 0 || most_s <= 0)
    throw UsageError("--seconds-budget must not be negative, and --most-seconds must be above 0");
  if (seconds > 0) settings.budget_s = seconds;
  settings.options.most_s = most_s;
  Interruption::prepare();
  return Measuring(settings).all();
}

}  // namespace tandem
