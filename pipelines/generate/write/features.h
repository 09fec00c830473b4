// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>

#include "pipelines/generate/layout/layout.h"
#include "pipelines/generate/write/polynomial.h"

namespace tandem::generate {

/// The static features of a stage's code (Zhang, tables 1 and 2): numbers by the names
/// that docs/generate.md lists, in bytes where they are sizes.
using Features = std::map<std::string, Polynomial>;

Features features_of(const LoopProgram& program, const Layout& layout, const StageFile& file);

/// The comment line "// features: name=value name=value\n".
std::string features_line(const Features& features);
/// The features in a stage file's text, for frames of a size. Empty: it has none. Throws
/// std::invalid_argument.
std::map<std::string, double> read_features(const std::string& stage, int width, int height);

}  // namespace tandem::generate
