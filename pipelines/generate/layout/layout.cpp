// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/layout/layout.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/util/size_product.h"

namespace tandem::generate {
namespace {

using Kind = Layout::Kind;

constexpr long kMostHalo = 64, kMostDimension = 1 << 20;  // of a stage file
constexpr long kLongestRow = 1024;  // of a long array that is cut into rows, so that bands can be

long number(const Affine& size, const Values& values) { return size.with(values).constant; }

// How many elements of an array with one dimension are a row of its tensor.
long row_of(long length) {
  if (length <= kLongestRow) return length;
  // Short rows only where a stage file cannot have the long one.
  const long shortest = length > kMostDimension ? 2 : 64;
  for (long row = kLongestRow; row >= shortest; --row)
    if (length % row == 0) return row;
  return length;
}

void add_symbols(const std::optional<Affine>& a, std::set<Symbol>& to) {
  if (!a) return;
  for (const auto& [symbol, times] : a->terms)
    for (const Symbol& factor : factors_of(symbol)) to.insert(factor);
}

void add_bounds(const Loop& loop, std::set<Symbol>& to) {
  add_symbols(loop.begin, to);
  add_symbols(loop.end, to);
}

class LayoutChooser {
 public:
  LayoutChooser(const LoopProgram& program, const std::map<std::string, double>& given)
      : program_(program), given_(given), nests_(nests_of(program)) {
    find_sizes();
  }

  Layout choose() {
    for (const Kind kind : {Kind::kFlat, Kind::kFrame, Kind::kRows}) {
      const auto layout = attempt(kind);
      if (!layout) continue;
      check_shapes(*layout);
      return *layout;
    }
    // Faults that no size would mend are reported first.
    for (const Nest* nest : nests_)
      if (nest->reductions.empty()) choose_grid(program_, *nest, {});
    Layout fixed;
    check_given();
    for (const Symbol& size : sizes_) fixed.values[size] = value_of(size);
    check_shapes(fixed);
    choose_grids(fixed);
    return fixed;
  }

 private:
  // Before a tensor's shape is made of an array's sizes, which are ints there.
  void check_shapes(const Layout& layout) const {
    for (const Array& array : program_.arrays) {
      if (layout.is_plane(array)) continue;
      std::vector<long> sizes;
      for (const Affine& size : array.sizes) sizes.push_back(number(size, layout.values));
      const std::string name = quoted_name(array.symbol);
      if (const auto none = std::ranges::find_if(sizes, [](long size) { return size < 1; });
          none != sizes.end())
        program_.refuse(array.at, name + " has a size of " + std::to_string(*none) +
                                      ": --set sizes with which it has elements");
      if (product_of_sizes(sizes) > kMostTensorElements)
        program_.refuse(array.at, name + " has more than " + std::to_string(kMostTensorElements) +
                                      " elements, the most of a tensor: --set smaller sizes");
      const StageShape shape = layout.shape_of(array);
      if (const auto most = std::ranges::max(shape.constants); most > kMostDimension)
        program_.refuse(array.at, name + " has a size of " + std::to_string(most) +
                                      ", and tensors have " + std::to_string(kMostDimension) +
                                      " at most: --set a smaller one, or one with factors");
    }
  }

  // The whole numbers of which sizes, bounds and indices are made.
  void find_sizes() {
    std::set<Symbol> used = program_.fixed;
    for (const Array& array : program_.arrays)
      for (const Affine& size : array.sizes) add_symbols(size, used);
    for (const Sequence& sequence : program_.sequences)
      if (sequence.around) add_bounds(*sequence.around, used);
    for (const Nest* nest : nests_) {
      for (const Level& level : nest->levels) add_bounds(level.loop, used);
      for (const Operations& each : nest->operations)
        for (const Loop& loop : each.around) add_bounds(loop, used);
      for (const ArrayAccess& access : nest->accesses) {
        for (const Loop& loop : access.around) add_bounds(loop, used);
        for (const auto& index : access.indices) add_symbols(index, used);
      }
    }
    for (const Scalar& scalar : program_.scalars)
      if (scalar.is_parameter && used.contains(scalar.symbol)) sizes_.push_back(scalar.symbol);
  }

  bool is_given(const std::string& name) const {
    const auto found = given_.find(name);
    return found != given_.end() && std::nearbyint(found->second) == found->second;
  }

  // All that are missing at once.
  void check_given() const {
    std::string names, options, data;
    const Symbol* first = nullptr;
    int missing = 0;
    for (const Symbol& size : sizes_) {
      const std::string name = name_of_symbol(size);
      if (is_given(name)) continue;
      if (++missing == 1) first = &size;
      names += (missing > 1 ? ", '" : "'") + name + "'";
      options += (missing > 1 ? " --set " : "--set ") + name + "=64";
      data += " " + name + "=64";
    }
    if (missing == 0) return;
    const std::string what = missing == 1 ? "the size " + names + " has no whole number: "
                                          : "the sizes " + names + " have no whole numbers: ";
    program_.refuse(program_.scalar(*first)->at,
                    what + options + " with the sizes of your frames, or a line '// data:" + data +
                        "' in the file");
  }

  Affine value_of(const Symbol& size) const {
    const std::string name = name_of_symbol(size);
    const auto found = given_.find(name);
    if (std::fabs(found->second) > kMostNumber)
      program_.refuse(program_.scalar(size)->at, "the size '" + name + "' is too large: --set " +
                                                     name + " to " +
                                                     std::to_string(kMostDimension) + " at most");
    return {static_cast<long>(found->second)};
  }

  void choose_grids(Layout& layout) const {
    for (const Nest* nest : nests_)
      layout.grids.push_back(choose_grid(program_, *nest, layout.values));
  }

  std::optional<Layout> attempt(Kind kind) const {
    Layout layout{.kind = kind};
    try {
      choose_grids(layout);
    } catch (const Refusal&) {  // which may be for sizes that are not numbers yet
      return {};
    }
    layout.plane = program_.array(layout.grids[0].array)->sizes;
    std::vector<Symbol> free;
    for (const Affine& size : layout.plane) {
      if (size.constant != 0 || size.terms.size() != 1 || size.terms.begin()->second != 1)
        return {};
      const Symbol& symbol = size.terms.begin()->first;
      if (std::ranges::find(free, symbol) != free.end()) return {};
      free.push_back(symbol);
    }
    if (free.size() != (kind == Kind::kFrame ? 2 : 1)) return {};
    if (kind == Kind::kFlat) free = rows_and_columns(free[0]);
    if (std::ranges::any_of(free, [](const Symbol& each) { return factors_of(each).size() > 1; }))
      return {};
    for (const Symbol& size : sizes_)
      if (std::ranges::find(free, size) == free.end()) layout.values[size] = value_of(size);
    if (free.size() == 2) layout.values[free[0]] = Affine::of("height");
    layout.values[free.back()] =
        Affine::of(kind == Kind::kFlat && free.size() == 1 ? "(width * height)" : "width");
    return fits(layout, free) ? std::optional(layout) : std::nullopt;
  }

  // Splits a size of h * w elements. The length of a row is the parameter whose name begins as
  // "width" or "columns" does, or else the second one.
  std::vector<Symbol> rows_and_columns(const Symbol& size) const {
    std::vector<Symbol> factors = factors_of(size);
    if (factors.size() != 2 || factors[0] == factors[1]) return {size};
    std::ranges::sort(factors, {}, [this](const Symbol& each) {
      return std::ranges::find(program_.parameters, each);
    });
    if (factors[0].front() == 'w' || factors[0].front() == 'c') std::swap(factors[0], factors[1]);
    return factors;
  }

  bool fits(const Layout& layout, const std::vector<Symbol>& free) const {
    const auto depends = [&](const Affine& size) {
      return std::ranges::any_of(free, [&](const Symbol& each) { return size.mentions(each); });
    };
    for (const Array& array : program_.arrays)
      if (array.sizes != layout.plane && std::ranges::any_of(array.sizes, depends)) return false;
    for (const Sequence& sequence : program_.sequences)
      if (sequence.around && (depends(*sequence.around->begin) || depends(*sequence.around->end)))
        return false;
    for (std::size_t k = 0; k < nests_.size(); ++k) {
      const Grid& grid = layout.grids[k];
      if (program_.array(grid.array)->sizes != layout.plane) return false;
      if (layout.kind == Kind::kRows && !nests_[k]->reductions.empty()) return false;
      for (const ArrayAccess& access : nests_[k]->accesses)
        if (layout.is_plane(*program_.array(access.array)) && !reaches(access, grid, layout))
          return false;
    }
    return true;
  }

  static bool reaches(const ArrayAccess& access, const Grid& grid, const Layout& layout) {
    const long most = layout.kind == Kind::kFlat ? 0 : kMostHalo;
    const auto reach = reach_of(access, grid, layout.values);
    return reach && std::ranges::all_of(*reach, [&](const Range& range) {
             return range.least >= -most && range.most <= most;
           });
  }

  const LoopProgram& program_;
  const std::map<std::string, double>& given_;
  const std::vector<const Nest*> nests_;
  std::vector<Symbol> sizes_;
};

}  // namespace

StageShape Layout::shape_of(const Array& array) const {
  StageShape shape;
  if (is_plane(array)) return shape;
  for (const Affine& size : array.sizes)
    shape.constants.push_back(static_cast<int>(number(size, values)));
  if (shape.constants.size() == 1) {
    const long length = shape.constants[0];
    const long row = array.row ? number(*array.row, values) : row_of(length);
    if (row != length) shape.constants = {static_cast<int>(length / row), static_cast<int>(row)};
  }
  return shape;
}

std::vector<std::string> Layout::places_of(const Array& array) const {
  if (is_plane(array)) {
    if (kind == Kind::kFrame) return {"y", "x"};
    return {kind == Kind::kFlat ? "(y * width + x)" : "x"};
  }
  const std::size_t last = array.sizes.size() - 1;
  std::vector<std::string> places(array.sizes.size());
  if (last == 0) {
    const std::string index = own_index(shape_of(array));
    places[0] = index == "x" ? index : "(" + index + ")";
    return places;
  }
  places[last] = "x";
  long below = 1;
  for (std::size_t d = last; d-- > 0;) {
    const long size = number(array.sizes[d], values);
    std::string place = below == 1 ? "y" : "y / " + std::to_string(below);
    if (d > 0) place += " % " + std::to_string(size);
    places[d] = place == "y" ? place : std::string("(").append(place).append(")");
    below *= size;
  }
  return places;
}

std::string own_index(const StageShape& shape) {
  return shape.constants.size() == 1 ? "x"
                                     : "y * " + std::to_string(shape.constants.back()) + " + x";
}

std::optional<std::vector<Range>> reach_of(const ArrayAccess& access, const Grid& grid,
                                           const Values& values) {
  if (access.indices.size() != grid.indices.size()) return {};
  std::vector<Range> reach;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    if (!access.indices[d]) return {};
    const auto range = range_of(*access.indices[d] - grid.indices[d], access.around, values);
    if (!range) return {};
    reach.push_back(*range);
  }
  return reach;
}

Layout choose_layout(const LoopProgram& program, const std::map<std::string, double>& given) {
  return LayoutChooser(program, given).choose();
}

std::vector<Symbol> arrays_written(const Nest& nest, const Grid& grid) {
  std::vector<Symbol> arrays = grid.written;
  for (const Reduction& reduction : nest.reductions)
    if (reduction.is_array) arrays.push_back(reduction.symbol);
  return arrays;
}

std::vector<const Nest*> nests_of(const LoopProgram& program) {
  std::vector<const Nest*> nests;
  for (const Sequence& sequence : program.sequences)
    for (const Nest& nest : sequence.nests) nests.push_back(&nest);
  return nests;
}

}  // namespace tandem::generate
