// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/layout/grid.h"

#include <algorithm>

namespace tandem::generate {
namespace {

std::optional<std::vector<Affine>> all_affine(const ArrayAccess& access) {
  std::vector<Affine> indices;
  for (const auto& index : access.indices) {
    if (!index) return {};
    indices.push_back(*index);
  }
  return indices;
}

class GridChooser {
 public:
  GridChooser(const LoopProgram& program, const Nest& nest, const Values& values)
      : program_(program), nest_(nest), values_(values) {}

  Grid choose() {
    for (const ArrayAccess& access : nest_.accesses)
      if (access.writes && !is_reduced(access.array)) add_write(access);
    if (!grid_.written.empty()) {
      if (!nest_.reductions.empty())
        program_.refuse(nest_.at, "a loop that both writes an array and reduces: make two of it");
      return map();
    }
    if (nest_.reductions.empty())
      program_.refuse(nest_.at,
                      "the loop writes no array and reduces nothing: write out[i] = ... in it");
    return reduction();
  }

 private:
  bool is_reduced(const Symbol& symbol) const {
    return std::ranges::find(nest_.reductions, symbol, &Reduction::symbol) !=
           nest_.reductions.end();
  }

  void add_write(const ArrayAccess& access) {
    const auto indices = all_affine(access);
    if (!indices)
      program_.refuse(
          access.at,
          "the index at which " + quoted_name(access.array) +
              " is written is not a sum of the loops' variables and numbers: write out[i "
              "+ 1] or out[y * w + x], or a reduction(+ : out[:n])");
    if (program_.array(access.array)->is_const)
      program_.refuse(access.at, quoted_name(access.array) +
                                     " is const: leave const out, or write to another array");
    if (grid_.written.empty()) {
      first_ = &access;
      grid_.array = access.array;
      grid_.indices = *indices;
    } else if (program_.array(access.array)->sizes != program_.array(grid_.array)->sizes) {
      program_.refuse(
          access.at,
          quoted_name(access.array) + " and " + quoted_name(grid_.array) +
              ", which one loop writes, differ in size: write each in a loop of its own");
    } else if (*indices != grid_.indices) {
      program_.refuse(access.at, "one iteration writes several elements of " +
                                     quoted_name(access.array) +
                                     ": give each a loop of its own, or write them in an inner "
                                     "loop that has nothing else");
    }
    if (std::ranges::find(grid_.written, access.array) == grid_.written.end())
      grid_.written.push_back(access.array);
  }

  // The deepest loop whose variable tells which element is written.
  Grid map() {
    const auto mentioned = [&](const Symbol& symbol) {
      return std::ranges::any_of(grid_.indices,
                                 [&](const Affine& index) { return index.mentions(symbol); });
    };
    for (const Loop& loop : first_->around) {
      const auto level = std::ranges::find_if(
          nest_.levels, [&](const Level& each) { return each.loop.variable == loop.variable; });
      if (!mentioned(loop.variable)) continue;
      if (level == nest_.levels.end())
        program_.refuse(first_->at, "one iteration writes several elements of " +
                                        quoted_name(first_->array) + ", in the loop of " +
                                        quoted_name(loop.variable) +
                                        ": that loop stands directly in the one around it, behind "
                                        "nothing but declarations with their values");
      grid_.depth = static_cast<std::size_t>(level - nest_.levels.begin()) + 1;
    }
    grid_.depth = std::max(grid_.depth, nest_.parallel);
    for (const auto& [symbol, level] : nest_.carried)
      if (level < grid_.depth)
        program_.refuse(first_->at,
                        "one iteration writes several elements of " + quoted_name(first_->array) +
                            ", and " + quoted_name(symbol) +
                            " goes from one to the next: compute it from the loops' variables");
    for (std::size_t k = 0; k < grid_.depth; ++k)
      if (!mentioned(nest_.levels[k].loop.variable))
        program_.refuse(first_->at,
                        "the iterations of " + quoted_name(nest_.levels[k].loop.variable) +
                            " write the same element of " + quoted_name(first_->array) + advice());
    check_reads();
    return grid_;
  }

  // A sum over the iterations.
  std::string advice() const {
    if (!first_->reads)
      return ": its index needs that variable, as in " + name_of_symbol(first_->array) + "[i]";
    return ": write the loop of the element around the one that sums, or add reduction(+ : " +
           name_of_symbol(first_->array) + "[:n])";
  }

  void check_reads() const {
    for (const ArrayAccess& access : nest_.accesses) {
      if (std::ranges::find(grid_.written, access.array) == grid_.written.end()) continue;
      if (access.levels < grid_.depth)
        program_.refuse(access.at, quoted_name(access.array) +
                                       " is used outside of the loop that "
                                       "writes it: use a variable there");
      if (all_affine(access) != grid_.indices)
        program_.refuse(access.at,
                        "an iteration reads an element of " + quoted_name(access.array) +
                            " that another one writes: write to another array and read this one");
    }
  }

  // An array that has an element for each iteration.
  Grid reduction() {
    for (const ArrayAccess& access : nest_.accesses)
      if (is_reduced(access.array) &&
          std::ranges::none_of(nest_.reductions, [&](const Reduction& each) {
            return each.symbol == access.array && each.is_array;
          }))
        program_.refuse(access.at, quoted_name(access.array) +
                                       " is reduced and is an array: write reduction(+ : " +
                                       name_of_symbol(access.array) + "[:n])");
    for (std::size_t depth = nest_.levels.size(); depth >= nest_.parallel; --depth) {
      if (std::ranges::any_of(nest_.carried, [&](const auto& each) { return each.second < depth; }))
        continue;
      for (const ArrayAccess& access : nest_.accesses) {
        const auto indices = all_affine(access);
        // An element that is always read is in the array: no iteration is without one.
        if (!indices || access.writes || is_reduced(access.array)) continue;
        if (!access.always || access.levels > depth) continue;
        const Array& array = *program_.array(access.array);
        const std::vector<std::string> places(array.sizes.size());
        if (!inverse_of(*indices, loops_of(nest_, depth), array.sizes, places, values_,
                        name_of_symbol))
          continue;
        grid_.depth = depth;
        grid_.array = access.array;
        grid_.indices = *indices;
        return grid_;
      }
    }
    program_.refuse(nest_.at,
                    "the loop reduces, and reads no array with an element for each iteration: read "
                    "one outside of conditions and inner loops, as in const float v = a[i];");
  }

  const LoopProgram& program_;
  const Nest& nest_;
  const Values& values_;
  const ArrayAccess* first_ = nullptr;
  Grid grid_;
};

}  // namespace

std::vector<Loop> loops_of(const Nest& nest, std::size_t depth) {
  std::vector<Loop> loops;
  for (std::size_t k = 0; k < depth; ++k) loops.push_back(nest.levels[k].loop);
  return loops;
}

Grid choose_grid(const LoopProgram& program, const Nest& nest, const Values& values) {
  return GridChooser(program, nest, values).choose();
}

}  // namespace tandem::generate
