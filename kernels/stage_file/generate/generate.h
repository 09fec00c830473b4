// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/stage_file/generate/plan.h"

namespace tandem {

/// The C of a stage: functions tandem_step_<n>, and tandem_combine_<n> of what is reduced, each a
/// StageFunction. Lines are those of the user's file where the code is.
std::string generate_c(const StageFile& file, const StagePlan& plan);

/// The OpenCL C: kernels tandem_step_<n>, tandem_combine_<n> of what is reduced, and
/// tandem_settle_<n> of loops that end by themselves. StageArguments has their arguments, and the
/// number of rows of a MAP's work-item is TANDEM_ROWS.
std::string generate_opencl(const StageFile& file, const StagePlan& plan);

}  // namespace tandem
