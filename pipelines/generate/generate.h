// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>

#include "pipelines/generate/layout/layout.h"

/// Makes a stage file of a C function with parallel loops. docs/generate.md says which.
namespace tandem::generate {

struct GenerateOptions {
  std::string function;                      ///< empty: the only one with parallel loops
  std::map<std::string, double> values;      ///< sizes and parameters by name
  std::map<std::string, std::string> sizes;  ///< of flat arrays by name: "w*h"
};

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
