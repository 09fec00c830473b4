// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stage_file/codegen/stage_plan.h"

/// A stage as a stream of tasks. Its grids are cut into parts. Each part is uploaded, computed and
/// downloaded on one of several in-order lanes, so that copies and kernels overlap.
namespace tandem {

/// The elements of a tensor that an element of a part's outputs needs. The outputs are cut into
/// pieces of `own` elements, the tensor into pieces of `other`. Piece k of the outputs needs the
/// tensor's pieces from k + least to k + most.
struct StageDependency {
  long own = 1, other = 1;
  long least = 0, most = 0;
  bool operator==(const StageDependency&) const = default;
};
/// By the part's number and the name in its code. A read without an entry needs the whole tensor. A
/// plane needs the elements within its halo.
using StageDependencies = std::map<std::pair<int, std::string>, StageDependency>;

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
  Elements elements;       ///< of the tensor or of the step's grid; blocks of a REDUCE
  std::vector<int> waits;  ///< indices of earlier commands, on other lanes
};

struct StreamCommands {
  std::vector<StreamCommand> all;  ///< each waits for earlier ones only
  std::string problem;             ///< reason if empty: "'x' is not cut into 4 tasks: ..."
};

/// Blocks of rows of a REDUCE, for any number of tasks, so that sums do not depend on it; one block
/// if the grid has fewer rows.
inline constexpr int kStreamBlocks = 32;
int stream_blocks(int rows);

/// The commands of one run for frames of this size.
StreamCommands plan_stream(const StagePlan& plan, const StageDependencies& dependencies, int width,
                           int height, StreamSetting setting);

}  // namespace tandem
