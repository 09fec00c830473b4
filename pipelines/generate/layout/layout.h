// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pipelines/generate/layout/grid.h"

namespace tandem::generate {

/// The layout of the arrays of a function in a stage.
struct Layout {
  enum class Kind {
    kFrame,  ///< a[height][width]: planes of the frame's size
    kFlat,   ///< a[width * height], element by element
    kRows,   ///< a[width]: each row of the frame is an array of its own
    kFixed,  ///< sizes are numbers: tensors with a shape, read at any index
  };
  Kind kind = Kind::kFixed;
  std::vector<Affine> plane;  ///< the sizes of arrays that are planes, as the function has them
  Values values;              ///< of the function's sizes: numbers, or words such as `width`
  std::vector<Grid> grids;    ///< of the nests, in order

  bool is_plane(const Array& array) const { return kind != Kind::kFixed && array.sizes == plane; }
  StageShape shape_of(const Array& array) const;
  /// In the code of an element (x, y): its index in each dimension of the array.
  std::vector<std::string> places_of(const Array& array) const;
};

/// The index of element (x, y) in a tensor of this shape, in its code: "x" or "y * 64 + x".
std::string own_index(const StageShape& shape);

/// The elements that an access reads, relative to the element of its iteration: least and largest,
/// by dimension. Null: not bounded by numbers.
std::optional<std::vector<Range>> reach_of(const ArrayAccess& access, const Grid& grid,
                                           const Values& values);

/// `given`: values of the function's parameters by name. The frame's size is used where all arrays
/// allow it. Throws Refusal when a size has no value.
Layout choose_layout(const LoopProgram& program, const std::map<std::string, double>& given);

/// The arrays that a nest writes or reduces.
std::vector<Symbol> arrays_written(const Nest& nest, const Grid& grid);

/// All nests of all sequences, in order.
std::vector<const Nest*> nests_of(const LoopProgram& program);

}  // namespace tandem::generate
