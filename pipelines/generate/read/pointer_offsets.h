// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/generate/read/clang_source.h"

namespace tandem::generate {

/// The edits that replace the pointers which functions with parallel loops declare by whole
/// numbers, so that each element is one of an array:
///
///   const float *row = in + y * w;  ... row[x] ...    becomes    int row = y * w;  ... in[row + x]
///
/// A pointer into a row of an array with two dimensions becomes the row's number. `function`: the
/// only one to look at; empty: all with a pragma. Throws Refusal for a pointer whose array is not
/// clear.
std::vector<Edit> pointer_offsets(const ClangSource& source, const std::string& function);

}  // namespace tandem::generate
