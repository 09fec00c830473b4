// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/stage_file/codegen/stage_plan.h"

namespace tandem {

/// The C code of a stage: functions tandem_step_<n>, and tandem_combine_<n> for reductions, each a
/// StageFunction. Line numbers of the user's code are those of the file.
std::string generate_c(const StageFile& file, const StagePlan& plan);

/// The OpenCL C code: kernels tandem_step_<n>, tandem_combine_<n> for reductions, and
/// tandem_settle_<n> for loops that may settle. StageArguments has their arguments. TANDEM_ROWS is
/// the number of rows of a MAP's work-item.
std::string generate_opencl(const StageFile& file, const StagePlan& plan);

}  // namespace tandem
