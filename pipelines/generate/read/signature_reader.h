// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "pipelines/generate/read/loop_reader.h"

namespace tandem::generate {

/// Whether a variable or parameter is declared as an array.
bool is_array(CXCursor declared);
/// Throws Refusal for element types and sizes that a stage lacks.
Array read_array(const ClangSource& source, CXCursor declared, const ValueOf& size_of);
Scalar read_scalar(const ClangSource& source, CXCursor declared);

}  // namespace tandem::generate
