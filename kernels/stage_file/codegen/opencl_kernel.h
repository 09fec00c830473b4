// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/stage_file/codegen/stage_plan.h"

/// Pieces of kernels.
namespace tandem {

/// A kernel up to its first `{`. All kernels of a step have the same arguments, in the order of
/// StageArguments. The last two select the part of the grid to compute.
std::string kernel_head_text(const StageFile& file, const StagePlan& plan, const StageStep& step,
                             const std::string& name, std::size_t number);
/// `#define name(dx, dy) ...` for the planes. `inside`: no read is outside of its plane.
std::string device_reads_text(const StagePlan& plan, const StageStep& step, bool inside);
/// Pointers to the tensors that have a shape.
std::string device_arrays_text(const StagePlan& plan, const StageStep& step);

/// The kernels of kReduce: each piece is reduced alone, then the results are combined.
std::string reduce_kernels_text(const StageFile& file, const StagePlan& plan, std::size_t number);

}  // namespace tandem
