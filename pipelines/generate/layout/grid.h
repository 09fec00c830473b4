// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "pipelines/generate/layout/inverse.h"

namespace tandem::generate {

/// The elements over which a nest becomes a map or a reduction.
struct Grid {
  std::size_t depth = 1;        ///< so many loops become places; those below stay loops
  Symbol array;                 ///< whose elements
  std::vector<Affine> indices;  ///< of that element, in the loops' variables
  std::vector<Symbol> written;  ///< arrays of a map, in the order in which they are written
};

/// Throws Refusal with the obstacle: iterations that share an element, that read what
/// others write, or that write several.
Grid choose_grid(const LoopProgram& program, const Nest& nest, const Values& values);

std::vector<Loop> loops_of(const Nest& nest, std::size_t depth);

}  // namespace tandem::generate
