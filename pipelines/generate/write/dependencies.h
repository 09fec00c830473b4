// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/stage_file/run/stream_plan.h"
#include "pipelines/generate/layout/layout.h"

namespace tandem::generate {

/// The dependencies of tensors with a shape, where each part of the file is one nest.
StageDependencies dependencies_of(const LoopProgram& program, const Layout& layout,
                                  const StageFile& file);

/// The comment line "// dependencies: 0.A=1:64 1.rows=8:8:-1:1\n"; empty when there are none.
std::string dependencies_line(const StageDependencies& dependencies);
/// The dependencies in a stage file's text. Throws std::invalid_argument.
StageDependencies read_dependencies(const std::string& stage);

}  // namespace tandem::generate
