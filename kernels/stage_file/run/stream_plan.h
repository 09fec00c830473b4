// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stage_file/generate/plan.h"

/// A stage as a stream of tasks: its grids are cut into parts, each of which is uploaded, computed
/// and downloaded on one of several in-order lanes, so that copies and kernels overlap.
namespace tandem {

/// Which elements of a tensor an element of a part's outputs needs: both are cut into pieces, of
/// `own` and `other` elements, and piece k needs the pieces k + least to k + most.
struct StageFollow {
  long own = 1, other = 1;
  long least = 0, most = 0;
  bool operator==(const StageFollow&) const = default;
};
/// By the number of the part and the name that its code reads. What has none needs the whole
/// tensor, planes apart, whose halo says what is needed.
using StageFollows = std::map<std::pair<int, std::string>, StageFollow>;

/// Elements [begin, end) of a tensor or a grid, row by row.
struct Elements {
  long begin = 0, end = 0;
  bool operator==(const Elements&) const = default;
  bool overlap(const Elements& other) const { return begin < other.end && other.begin < end; }
  long count() const { return end - begin; }
};

/// How a stage is streamed.
struct StreamSetting {
  int partitions = 1;  ///< lanes, on a CPU device groups of cores
  int tasks = 1;
  bool operator==(const StreamSetting&) const = default;
};

struct StreamCommand {
  enum class Kind { kUpload, kKernel, kCombine, kDownload };
  Kind kind = Kind::kKernel;
  int lane = 0;
  int tensor = -1;         ///< of copies
  int step = 0, pass = 0;  ///< of kernels
  Elements elements;       ///< of the tensor, of the step's grid; blocks of a REDUCE
  std::vector<int> waits;  ///< commands of other lanes that come first, by their place
};

struct StreamCommands {
  std::vector<StreamCommand> all;  ///< each waits for earlier ones alone
  std::string problem;             ///< why there are none: "'x' is not cut into 4 tasks: ..."
};

/// Blocks of rows into which a REDUCE is cut whatever the number of tasks, so that sums are the
/// same; 1 where the grid has fewer rows.
inline constexpr int kStreamBlocks = 32;
int stream_blocks(int rows);

/// The commands of one run for frames of a size.
StreamCommands plan_stream(const StagePlan& plan, const StageFollows& follows, int width,
                           int height, StreamSetting setting);

/// Memory that pass `pass` of a LOOP writes is that of the tensor, or the one beside it.
bool writes_other(const StageStep& step, int pass);

}  // namespace tandem
