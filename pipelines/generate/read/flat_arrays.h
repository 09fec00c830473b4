// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "pipelines/generate/loop_program.h"

namespace tandem::generate {

/// Determines rows and sizes of flat arrays. An array `in` of which all elements are `in[q * s +
/// r]` with r from 0 to s - 1 becomes `in[n][s]`. Sizes that are not declared follow from the
/// bounds of the loops; those of arrays with rows of one length are the largest of them.
///
/// Throws Refusal for a written element whose row is not known, and for sizes that are not.
void shape_flat_arrays(LoopProgram& program);

}  // namespace tandem::generate
