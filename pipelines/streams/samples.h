// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pipelines/streams/stream_model_file.h"

/// The times of stages by partitions and tasks, on one device of one machine. `tandem streams
/// measure` writes them, and the other actions read them. docs/streams.md has the fields.
namespace tandem::streams {

/// For the table's file. Rises when a field is removed or changes its meaning.
inline constexpr int kSamplesSchema = 1;

/// By name. A feature that a machine does not provide is absent.
using FeatureValues = std::map<std::string, double>;

/// One point of the grid.
struct Timing {
  int partitions = 1, tasks = 1;
  double median_ns = 0, mean_ns = 0;
  double interval = 0;  ///< width of the mean's 95% confidence interval, relative to the mean
  int runs = 0;
};

/// One program with one data set.
struct Sample {
  std::string program, data;
  FeatureValues code, run;   ///< static features of the code, and those of a run with one stream
  std::vector<Timing> grid;  ///< empty when it was left out
  std::string left_out;      ///< why it was left out, or part of the grid; mostly empty

  /// Null: not measured.
  const Timing* find(int partitions, int tasks) const;
  double one_stream_ns() const;  ///< 0: not measured
};

struct SampleTable {
  StreamOrigin origin;
  std::string host;
  int cores = 0;
  std::string own_cores;  ///< partitions that have cores of their own: "2 4"; empty: none
  std::string counters;   ///< why there are no hardware counters; empty: there are
  std::vector<Sample> samples;

  const Sample* find(const std::string& program, const std::string& data) const;
};

std::string write_samples(const SampleTable& table);
/// Throws std::runtime_error, to go behind the file's name.
SampleTable read_samples(const std::string& text);

}  // namespace tandem::streams
