// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/performance.h"
#include "pipelines/tandem/bench/origin.h"

namespace tandem {

/// The version of the JSON that to_json makes (docs/bench-json.md). It rises if a field is removed
/// or changes its meaning, not for new fields.
inline constexpr int kBenchSchema = 1;

struct BenchConfiguration {
  std::string mapping;            ///< one letter a stage
  std::optional<int> threads;     ///< coarse grain; none: medium grain
  int lanes = 1;                  ///< of the device, where the mapping has it
  int frames_at_once = 1;         ///< of medium grain
  std::optional<int> split = {};  ///< percent of the rows that the CPU computes of split stages
  int tasks = 1;                  ///< bands in which the device computes a frame

  std::string granularity() const { return threads ? "cg" : "mg"; }
  bool on_device() const { return mapping.find_first_of("ghis") != std::string::npos; }
  /// As tandembin writes it: `gcc/cg3`, `ggg/mg`, `ggg/cg12/q4`, `ggg/cg1/t4`, `ccc/mg2` or
  /// `sss/mg/a37`.
  std::string name() const;
};

/// All 2^stages (cores + 2) configurations, those with the device once for each of `lanes`; without
/// any lanes, those without a device.
std::vector<BenchConfiguration> bench_configurations(int stages, int cores,
                                                     const std::vector<int>& lanes);

/// Those that split the rows of the stages with an `s` in the mapping, in steps of ten percent.
std::vector<BenchConfiguration> split_configurations(const std::string& mapping);
/// The one of this name where it splits rows, which no list has with every share, or computes
/// frames in bands, which none has; else none.
std::optional<BenchConfiguration> read_unlisted(const std::string& name);

/// The median of several rounds, measured or predicted alike; none without a round.
std::optional<double> median_of(std::vector<double> values);
/// The medians of each of the values, where they are known.
Performance median_of(const std::vector<Performance>& rounds);

struct BenchMeasurement {
  BenchConfiguration configuration;
  std::vector<double> rounds_fps;  ///< one value a round
  std::vector<double> stage_cpu_s =
      {};  ///< mean time of a frame in each stage, latest round; 0: never
  std::vector<double> stage_device_s = {};

  std::vector<double> rounds_energy_j = {};    ///< joules a frame; none: unknown
  std::vector<double> rounds_latency_ms = {};  ///< the 95th percentile, from pad to pad
  Performance predicted = {};                  ///< by the model alone

  /// How far it came: 0 all rounds, 1 the finals, 2 the match. `best` is one of those that came
  /// farthest, and `rounds_*` are of the latest.
  int heat = 0;

  Performance median() const;  ///< of the rounds
  double median_fps() const { return median().throughput_fps.value_or(0); }
};

/// One of the best configurations at the end of a training, with its measured or predicted values.
struct BenchRanked {
  std::string name;
  Performance expected;
};

struct BenchResult {
  BenchOrigin origin;
  std::string application;
  int width = 0, height = 0;
  int frames = 0;  ///< at least so many are timed for each configuration
  int cores = 0;
  std::optional<std::string> opencl_device;
  std::vector<BenchMeasurement> measurements;
  std::string metric = "throughput";
  std::optional<double> target_latency_ms = {};  ///< takes the metric's place
  std::optional<std::string> energy_source;
  std::optional<BenchMeasurement> baseline;  ///< device stages wait for the device

  struct Training {
    std::string chosen;
    Performance predicted = {};  ///< corrected by trials
    int experiments = 0, frames = 0;
    double seconds = 0;
    std::optional<int> trials;  ///< after the experiments; none: not reported
    std::vector<BenchRanked> ranking;
    std::optional<double> expected_loss = {};  ///< none: not reported
  };
  std::optional<Training> training;
};

/// The measurement of that name, or null.
const BenchMeasurement* find_measurement(const BenchResult& result, const std::string& name);

/// The score of a measurement by the result's metric, higher is better: frames a second, frames a
/// joule, throughput / energy, 1 / (energy x time), or 1 / latency. With a target, throughput, and
/// 0 above it. Throughput where energy is not known.
double score(const BenchResult& result, const BenchMeasurement& measurement);

/// All measurements, best first: those that came farther, then those with the higher score.
std::vector<const BenchMeasurement*> rank(const BenchResult& result);

/// The first of them, or null where nothing was measured.
const BenchMeasurement* best_of(const BenchResult& result);

/// The mapping that puts each stage where it takes less time. Times on the CPU are from the
/// medium grain without a device, times on the device from one thread with that stage alone there.
/// None if one of these runs is missing. A stage that no configuration has on the device stays on
/// the CPU.
std::optional<std::string> baseline_mapping(const BenchResult& result);

/// A line a configuration, for the terminal. Columns that would be empty, or would repeat another
/// one, are left out: least and most of a single round, unknown predictions and energies.
std::string to_table(const BenchResult& result);

/// The JSON that `tandem bench` writes; fields that do not apply are null.
nlohmann::ordered_json to_json(const BenchResult& result);

}  // namespace tandem
