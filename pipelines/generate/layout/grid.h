// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipelines/generate/loop_program.h"

namespace tandem::generate {

using NameOf = std::function<std::string(const Symbol&)>;
using Values = std::map<Symbol, Affine>;  ///< values of sizes

/// Least and largest value; null: not known.
struct Range {
  long least = 0, most = 0;
};
/// The range of an expression inside of loops whose bounds are numbers.
std::optional<Range> range_of(const Affine& value, const std::vector<Loop>& around,
                              const Values& values);

/// The iteration that writes an element, as a function of the element's place.
struct Inverse {
  struct Definition {
    Symbol variable;
    std::string value;
  };
  std::vector<Definition> definitions;
  std::vector<std::string> guards;  ///< all true: there is such an iteration
};

/// The element `places` of an array of these sizes is index by index `indices`, which must be
/// affine in the variables of `loops`. Null when several iterations may have one element.
std::optional<Inverse> inverse_of(const std::vector<Affine>& indices,
                                  const std::vector<Loop>& loops, const std::vector<Affine>& sizes,
                                  const std::vector<std::string>& places, const Values& values,
                                  const NameOf& name);

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
