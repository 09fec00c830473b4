// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "pipelines/streams/statistics.h"

namespace tandem::streams {
namespace {

using Clock = std::chrono::steady_clock;
using Role = StageTensor::Role;

constexpr int kProfileRuns = 5;
constexpr unsigned char kStale = 0xa5;

double since_s(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<std::size_t> outputs_of(const StagePlan& plan) {
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < plan.tensors.size(); ++i)
    if (plan.tensors[i].role == Role::kOutput || plan.tensors[i].role == Role::kLumaOut)
      outputs.push_back(i);
  return outputs;
}

std::string text_of(StreamSetting setting) {
  return std::to_string(setting.partitions) + " partitions and " + std::to_string(setting.tasks) +
         " tasks";
}

std::string ms_text(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", ns / 1e6);
  return text;
}

// A point of the grid while it is measured.
struct Point {
  StreamSetting setting;
  StreamCommands commands;
  std::vector<double> runs_ns;

  bool known(double interval, const MeasureOptions& options) const {
    const int runs = static_cast<int>(runs_ns.size());
    return runs >= options.most_runs ||
           (runs >= options.least_runs && spread_of(runs_ns).interval <= interval);
  }
};

// The outputs of one stream, with which those of other settings are compared.
class Reference {
 public:
  explicit Reference(StreamedStage& stage) : stage_(stage) {
    for (const std::size_t i : outputs_of(stage.plan())) {
      const auto* const bytes = static_cast<const unsigned char*>(stage.host(i));
      wanted_[i].assign(bytes, bytes + stage.bytes(i));
    }
  }
  void forget() {
    for (const auto& [i, wanted] : wanted_) std::memset(stage_.host(i), kStale, stage_.bytes(i));
  }
  // The first output that differs; empty: none does.
  std::string difference() const {
    for (const auto& [i, wanted] : wanted_)
      if (std::memcmp(stage_.host(i), wanted.data(), wanted.size()) != 0)
        return stage_.plan().tensors[i].name;
    return {};
  }

 private:
  StreamedStage& stage_;
  std::map<std::size_t, std::vector<unsigned char>> wanted_;
};

class Measurement {
 public:
  Measurement(StreamDevice& device, const Workload& workload, const MeasureOptions& options,
              const std::atomic<bool>& stop)
      : workload_(workload),
        options_(options),
        stop_(stop),
        settings_(grid_of(options, device.most_partitions())),
        stage_(device, workload.file, workload.dependencies, workload.width, workload.height) {
    sample_.program = workload.name;
    sample_.data = workload.data;
    sample_.code = workload.code;
  }

  Sample all(HardwareCounters& counters) {
    fill_inputs(stage_, workload_);
    const StreamCommands one = stage_.commands({});
    if (!one.problem.empty()) {
      sample_.left_out = one.problem;
      return sample_;
    }
    stage_.run(one, 1);  // compiles
    const double once_ns = std::min(stage_.run(one, 1), stage_.run(one, 1));
    const double least_s =
        once_ns * 1e-9 * static_cast<double>(settings_.size()) * options_.least_runs;
    if (least_s > 2 * options_.most_s) {
      sample_.left_out = "a run takes " + ms_text(once_ns) + ", too long for the time given";
      return sample_;
    }
    sample_.run = features_of_runs(stage_, counters);
    check_all();
    measure_all();
    return sample_;
  }

 private:
  void check_all() {
    Reference reference(stage_);
    for (const StreamSetting setting : settings_) {
      if (stop_) return;
      StreamCommands commands = stage_.commands(setting);
      if (!commands.problem.empty()) {
        if (sample_.left_out.empty())
          sample_.left_out = std::to_string(setting.tasks) + " tasks: " + commands.problem;
        continue;
      }
      reference.forget();
      stage_.run(commands, setting.partitions);
      if (const std::string name = reference.difference(); !name.empty())
        throw std::runtime_error("'" + workload_.path + "': the output '" + name + "' with " +
                                 text_of(setting) + " differs from that with one stream");
      points_.push_back({setting, std::move(commands), {}});
    }
  }

  void measure_all() {
    const auto begin = Clock::now();
    run_rounds(begin, options_.interval, [](const Point&) { return true; });
    double best_ns = 1e300;
    for (const Point& point : points_)
      if (!point.runs_ns.empty()) best_ns = std::min(best_ns, spread_of(point.runs_ns).median);
    run_rounds(begin, options_.near_interval, [&](const Point& point) {
      return point.setting == StreamSetting{} ||
             spread_of(point.runs_ns).median <= (1 + options_.near) * best_ns;
    });
    for (const Point& point : points_) {
      if (point.runs_ns.size() < 3) {
        sample_.grid.clear();
        sample_.left_out = "three runs of each setting take longer than the time given";
        return;
      }
      const Spread spread = spread_of(point.runs_ns);
      sample_.grid.push_back({.partitions = point.setting.partitions,
                              .tasks = point.setting.tasks,
                              .median_ns = spread.median,
                              .mean_ns = spread.mean,
                              .interval = spread.interval,
                              .runs = static_cast<int>(point.runs_ns.size())});
    }
  }

  // All of them in turn, until each is known or the time is over.
  template <typename Wanted>
  void run_rounds(Clock::time_point begin, double interval, Wanted&& wanted) {
    std::vector<Point*> open;
    for (Point& point : points_)
      if (wanted(point)) open.push_back(&point);
    for (;;) {
      std::erase_if(open, [&](Point* point) { return point->known(interval, options_); });
      if (open.empty() || stop_) return;
      const bool enough = std::ranges::all_of(open, [&](Point* point) {
        return static_cast<int>(point->runs_ns.size()) >= options_.least_runs;
      });
      if (since_s(begin) > (enough ? 1 : 3) * options_.most_s) return;
      for (Point* point : open)
        point->runs_ns.push_back(stage_.run(point->commands, point->setting.partitions));
    }
  }

  const Workload& workload_;
  const MeasureOptions& options_;
  const std::atomic<bool>& stop_;
  const std::vector<StreamSetting> settings_;
  StreamedStage stage_;
  std::vector<Point> points_;
  Sample sample_;
};

}  // namespace

std::vector<StreamSetting> grid_of(const MeasureOptions& options, int most_partitions) {
  std::vector<StreamSetting> settings{{1, 1}};
  for (const int partitions : options.partitions)
    for (const int tasks : options.tasks)
      if (partitions <= std::min(tasks, most_partitions) && tasks % partitions == 0 && tasks > 1)
        settings.push_back({partitions, tasks});
  return settings;
}

void fill_inputs(StreamedStage& stage, const Workload& workload) {
  const auto& tensors = stage.plan().tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].role != Role::kPixels && tensors[i].role != Role::kInput) continue;
    const auto content = content_of(workload, tensors[i], stage.bytes(i));
    std::memcpy(stage.host(i), content.data(), content.size());
  }
}

FeatureValues features_of_runs(StreamedStage& stage, HardwareCounters& counters) {
  const StreamCommands one = stage.commands({});
  std::vector<double> upload, kernel, download;
  StreamProfile profile;
  for (int k = 0; k < kProfileRuns; ++k) {
    profile = stage.profile(one);
    upload.push_back(profile.upload_ns);
    kernel.push_back(profile.kernel_ns);
    download.push_back(profile.download_ns);
  }
  counters.start();
  for (int k = 0; k < kProfileRuns; ++k) stage.run(one, 1);
  FeatureValues values = counters.stop();
  if (values.contains("cpu-instructions")) values["cpu-instructions"] /= kProfileRuns;
  values["upload-ns"] = spread_of(upload).median;
  values["kernel-ns"] = spread_of(kernel).median;
  values["download-ns"] = spread_of(download).median;
  values["upload-bytes"] = profile.upload_bytes;
  values["download-bytes"] = profile.download_bytes;
  values["launches"] = profile.launches;
  values["copies"] = profile.copies;
  return values;
}

Sample measure(StreamDevice& device, const Workload& workload, const MeasureOptions& options,
               HardwareCounters& counters, const std::atomic<bool>& stop) {
  return Measurement(device, workload, options, stop).all(counters);
}

}  // namespace tandem::streams
