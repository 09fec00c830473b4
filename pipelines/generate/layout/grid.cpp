// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/layout/grid.h"

#include <algorithm>
#include <cstdlib>

namespace tandem::generate {
namespace {

/// A variable as a digit of an index: index = ... + weight * digit + ..., and
/// variable = begin + step * digit.
struct Digit {
  const Loop* loop = nullptr;
  long weight = 1;
};

class Inverter {
 public:
  Inverter(const std::vector<Loop>& loops, const Values& values, const NameOf& name)
      : loops_(loops), values_(values), name_(name) {}

  bool add(const Affine& given, const Affine& size, const std::string& place) {
    const Affine index = given.with(values_);
    std::vector<Digit> digits;
    Affine rest = index;
    for (const Loop& loop : loops_) {
      const long times = index.coefficient(loop.variable);
      if (times == 0) continue;
      if (std::ranges::find(found_, loop.variable) != found_.end()) return false;
      found_.push_back(loop.variable);
      digits.push_back({&loop, times});
      rest = rest - Affine::of(loop.variable) * times;
    }
    if (digits.empty()) {
      guard(place + " == " + text(rest));
      return true;
    }
    if (digits.size() == 1 && std::labs(digits[0].weight) == 1 && digits[0].loop->step == 1)
      return single(*digits[0].loop, digits[0].weight, rest, size.with(values_), place);
    return several(digits, rest, size.with(values_), place);
  }

  std::optional<Inverse> result() && {
    if (found_.size() != loops_.size()) return {};
    return std::move(inverse_);
  }

 private:
  std::string text(const Affine& a) const { return text_of(a, name_); }
  void guard(const std::string& text) { inverse_.guards.push_back(text); }

  // index = rest + variable, or rest - variable.
  bool single(const Loop& loop, long weight, const Affine& rest, const Affine& size,
              const std::string& place) {
    const Affine begin = loop.begin->with(values_), end = loop.end->with(values_);
    std::string value = place;
    if (weight < 0) {
      value = text(rest) + " - " + place;
    } else if (rest != Affine(0)) {
      const bool minus = rest.is_constant() && rest.constant < 0;
      value += minus ? " + " + std::to_string(-rest.constant) : " - (" + text(rest) + ")";
      if (rest.is_constant() && !minus) value = place + " - " + std::to_string(rest.constant);
    }
    inverse_.definitions.push_back({loop.variable, value});
    const std::string variable = name_(loop.variable);
    const Affine first = weight > 0 ? begin + rest : rest - end + 1;
    const Affine last = weight > 0 ? end + rest : rest - begin + 1;
    if (first != Affine(0))
      guard(variable + (weight > 0 ? " >= " + text(begin) : " < " + text(end)));
    if (last != size) guard(variable + (weight > 0 ? " < " + text(end) : " >= " + text(begin)));
    return true;
  }

  // As digits of a number whose places have different weights: each digit is less than what the
  // one above it weighs.
  bool several(std::vector<Digit> digits, Affine rest, const Affine& size,
               const std::string& place) {
    std::vector<long> counts;
    for (Digit& digit : digits) {
      const Affine begin = digit.loop->begin->with(values_), end = digit.loop->end->with(values_);
      const Affine length = end - begin;
      if (digit.weight < 0 || !begin.is_constant()) return false;
      rest = rest + begin * digit.weight;
      digit.weight *= digit.loop->step;
      counts.push_back(length.is_constant()
                           ? (std::max(0L, length.constant) + digit.loop->step - 1) /
                                 digit.loop->step
                           : -1);
    }
    std::vector<std::size_t> order(digits.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return digits[i].weight; });
    long below = 0;  // the largest that the digits below may add up to
    for (std::size_t k = order.size(); k-- > 0;) {
      if (k > 0 && counts[order[k]] < 0) return false;
      if (below >= digits[order[k]].weight) return false;
      below += digits[order[k]].weight * std::max(0L, counts[order[k]] - 1);
    }
    if (!rest.is_constant()) return false;
    std::string left = place;
    if (rest.constant != 0) {
      guard(place + " >= " + std::to_string(rest.constant));
      left = "(" + place + " - " + std::to_string(rest.constant) + ")";
    }
    // How many elements lie behind the first one, for the digit at hand.
    std::optional<long> span;
    if (size.is_constant()) span = size.constant - rest.constant;
    for (const std::size_t i : order) {
      const Loop& loop = *digits[i].loop;
      const std::string weight = std::to_string(digits[i].weight);
      std::string value = digits[i].weight == 1 ? left : left + " / " + weight;
      if (loop.step != 1) value = "(" + value + ") * " + std::to_string(loop.step);
      const Affine begin = loop.begin->with(values_);
      if (begin != Affine(0)) value = text(begin) + " + " + value;
      inverse_.definitions.push_back({loop.variable, value});
      const bool fills =
          span && counts[i] >= 0 && (*span + digits[i].weight - 1) / digits[i].weight <= counts[i];
      if (!fills) guard(name_(loop.variable) + " < " + text(loop.end->with(values_)));
      span = digits[i].weight;
      left = digits[i].weight == 1 ? "0" : "(" + left + " % " + weight + ")";
    }
    if (left != "0") guard(left + " == 0");
    return true;
  }

  const std::vector<Loop>& loops_;
  const Values& values_;
  const NameOf& name_;
  std::vector<Symbol> found_;
  Inverse inverse_;
};

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

std::optional<Range> range_of(const Affine& value, const std::vector<Loop>& around,
                              const Values& values) {
  Affine least = value.with(values), most = least;
  // Innermost first: the bounds of a loop may depend on those around it.
  for (auto loop = around.rbegin(); loop != around.rend(); ++loop) {
    if (!least.mentions(loop->variable) && !most.mentions(loop->variable)) continue;
    if (!loop->begin || !loop->end) return {};
    const Affine first = loop->begin->with(values), last = loop->end->with(values) - 1;
    const auto put = [&](Affine& bound, bool low) {
      const long times = bound.coefficient(loop->variable);
      bound = bound.with({{loop->variable, (times > 0) == low ? first : last}});
    };
    put(least, true);
    put(most, false);
  }
  if (!least.is_constant() || !most.is_constant()) return {};
  return Range{least.constant, most.constant};
}

std::optional<Inverse> inverse_of(const std::vector<Affine>& indices,
                                  const std::vector<Loop>& loops, const std::vector<Affine>& sizes,
                                  const std::vector<std::string>& places, const Values& values,
                                  const NameOf& name) {
  Inverter inverter(loops, values, name);
  for (std::size_t d = 0; d < indices.size(); ++d)
    if (!inverter.add(indices[d], sizes[d], places[d])) return {};
  return std::move(inverter).result();
}

std::vector<Loop> loops_of(const Nest& nest, std::size_t depth) {
  std::vector<Loop> loops;
  for (std::size_t k = 0; k < depth; ++k) loops.push_back(nest.levels[k].loop);
  return loops;
}

Grid choose_grid(const LoopProgram& program, const Nest& nest, const Values& values) {
  return GridChooser(program, nest, values).choose();
}

}  // namespace tandem::generate
