// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "pipelines/generate/clang_source.h"

namespace tandem::generate {

/// Whether a variable or parameter is declared as an array.
bool is_array(CXCursor declared);
/// Throws Refusal for element types and sizes that a stage lacks. Sizes are affine in the whole
/// numbers among the function's parameters.
Array read_array(const ClangSource& source, CXCursor declared, const LoopProgram& program);
Scalar read_scalar(const ClangSource& source, CXCursor declared);
/// Of the function, in their order.
void read_parameters(const ClangSource& source, CXCursor function, LoopProgram& program);

}  // namespace tandem::generate
