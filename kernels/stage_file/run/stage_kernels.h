// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <vector>

#include "kernels/opencl/kernel.h"
#include "kernels/stage_file/codegen/stage_plan.h"
#include "kernels/stage_file/run/stage_call.h"

/// A stage's kernels, their arguments and sizes.
namespace tandem {

/// The kernels of generate_opencl(), by the number of their step.
struct StageKernels {
  /// Throws StageFileError with the compiler's first error, and opencl::Error.
  StageKernels(opencl::Context& context, const StageFile& file, const StagePlan& plan);

  std::vector<opencl::Kernel> steps;
  std::map<std::size_t, opencl::Kernel> combines;  ///< of each REDUCE
  std::map<std::size_t, opencl::Kernel> settles;   ///< of each LOOP that may settle
  std::vector<bool> adds;                          ///< a combine adds elements side by side
  const bool is_cpu;
};

/// The part of a step's grid that a launch computes.
struct GridPart {
  /// MAP and LOOP: from this row on, to the end of the call's columns and rows.
  static GridPart from(int column, int row) { return {column, row}; }
  /// REDUCE: blocks of rows from this one on, of 2^bits.
  static GridPart blocks(int first, int bits) { return {first, bits}; }

  int first = 0, second = 0;
};

/// The arguments of a step's kernels, in the order of generate_opencl().
struct StageArguments {
  const StageStep& step;
  const StageCall& call;
  std::size_t parameters = 0;  ///< their number
  int groups = 0;              ///< of a row, or pieces of a REDUCE
  GridPart part{};

  void add_to(opencl::KernelArguments& to) const;
};

/// Work-items of the kernels of a REDUCE.
struct ReduceSizes {
  std::size_t group = 1, items = 1;  ///< of a block
  int pieces = 1;                    ///< partial results of all blocks
  std::size_t combine_group = 1, combine_items = 1;
};
ReduceSizes reduce_sizes(const StageKernels& kernels, const StagePlan& plan, std::size_t step,
                         const StageCall& call, int blocks = 1);

}  // namespace tandem
