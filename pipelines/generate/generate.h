// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/generate/layout/layout.h"

/// `tandem generate`: makes a stage file, in OpenCL C, of a C function with parallel loops
/// (docs/generate.md). kernels/stage_file/codegen makes the kernels of such a file.
namespace tandem::generate {

struct Generated {
  LoopProgram program;
  Layout layout;
  StageFile file;
  std::string text;  ///< of the stage file
};

/// Throws Refusal when the function has no stage, StageFileError when a stage file cannot hold it.
Generated generate_stage(const std::string& text, const std::string& path,
                         const GenerateOptions& options);

}  // namespace tandem::generate
