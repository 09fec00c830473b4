// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipelines/performance.h"

namespace tandem {

/// The file of `tandem bench --json` (docs/bench-json.md), as the report needs it. A value that was
/// not measured, or that does not apply, is empty.
struct BenchFile {
  struct Configuration {
    std::string name;     ///< gcc/cg3
    std::string mapping;  ///< one letter a stage
    int threads = 0;      ///< 0: medium grain
    Performance measured = {}, predicted = {};
    int lanes = 1;                  ///< frames on the device at a time
    int frames_at_once = 1;         ///< of medium grain
    std::optional<int> split = {};  ///< percent of the rows that the CPU computes of split stages
    int tasks = 1;                  ///< bands in which the device computes a frame
  };
  struct Pick {
    std::string name;
    Performance measured = {};
    std::optional<double> ratio_to_best = {};
    Performance predicted = {};  ///< after trials
  };
  struct Ranked {
    std::string name;
    Performance expected;
  };
  struct Training {
    std::optional<double> experiments, frames, seconds, trials;
    std::vector<Ranked> ranking;               ///< best first; empty in older files
    std::optional<double> expected_loss = {};  ///< as a part; empty in older files
  };
  /// Empty in older files.
  struct Origin {
    std::optional<std::string> version, date, host, processor, input;
  };

  Origin origin;
  std::string app;
  int width = 0, height = 0;
  int frames = 0;
  int cores = 0;
  std::optional<std::string> opencl_device, energy_source;
  std::string metric;  ///< the criterion of `chosen` and `best`: throughput, energy, ...
  std::vector<Configuration> configurations;  ///< at least one; names differ
  std::optional<double> cpu_mg_fps, cpu_cg_fps, device_fps;
  std::optional<Pick> baseline, chosen, best;
  std::optional<Training> training;
};

/// Throws std::runtime_error that names the fault and the field.
BenchFile parse_bench_file(const std::string& text);

/// The configuration of that name, or null.
const BenchFile::Configuration* find_configuration(const BenchFile& bench, const std::string& name);

}  // namespace tandem
