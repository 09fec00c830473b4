// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/flat_arrays.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tandem::generate {
namespace {

// A product of parameters, or a number.
struct Stride {
  std::vector<Symbol> factors;
  long times = 1;
  Affine affine() const {
    return factors.empty() ? Affine(times) : Affine::of(product_of(factors)) * times;
  }
};

struct Row {
  Affine index, column;
};

bool is_counter(const ArrayAccess& access, const Symbol& symbol) {
  return std::ranges::find(access.around, symbol, &Loop::variable) != access.around.end();
}

bool has_counter(const ArrayAccess& access, const Affine& a) {
  return std::ranges::any_of(access.around,
                             [&](const Loop& loop) { return a.mentions(loop.variable); });
}

bool is_linear(const ArrayAccess& access, const Affine& a) {
  return a.is_linear([&](const Symbol& each) { return is_counter(access, each); });
}

// The loop with bounds that conditions make narrower.
Loop narrowed(Loop loop, const std::vector<Fact>& facts) {
  const auto positive = [](const Affine& a) { return a.is_constant() && a.constant > 0; };
  for (std::size_t i = 0; i < 2 * facts.size(); ++i) {  // twice: one may serve another
    const Fact& fact = facts[i % facts.size()];
    const long times = fact.value.coefficient(loop.variable);
    if (std::labs(times) != 1 || !loop.begin || !loop.end) continue;
    const Affine limit = (fact.value - Affine::of(loop.variable) * times) * -times;
    if (fact.is_other) {
      if (limit == *loop.begin) loop.begin = limit + 1;
      if (limit == *loop.end - 1) loop.end = limit;
    } else if (times > 0) {
      if (positive(limit - *loop.begin)) loop.begin = limit;
    } else if (positive(*loop.end - 1 - limit)) {
      loop.end = limit + 1;
    }
  }
  return loop;
}

// The least or largest value, in parameters. Null: the bounds are not known.
std::optional<Affine> bound_of(const ArrayAccess& access, Affine a, bool largest) {
  for (auto loop = access.around.rbegin(); loop != access.around.rend(); ++loop) {
    const long times = a.coefficient(loop->variable);
    if (times == 0) continue;
    if (!loop->begin || !loop->end) return {};
    const Loop narrow = narrowed(*loop, access.facts);
    const Affine end = (times > 0) == largest ? *narrow.end - 1 : *narrow.begin;
    a = a + (end - Affine::of(loop->variable)) * times;
  }
  if (has_counter(access, a)) return {};
  return a;
}

// The term divided by the factors of a stride. Null: the term lacks one of them.
std::optional<Symbol> without(const Symbol& term, const std::vector<Symbol>& factors) {
  std::vector<Symbol> left = factors_of(term);
  for (const Symbol& factor : factors) {
    const auto found = std::ranges::find(left, factor);
    if (found == left.end()) return {};
    left.erase(found);
  }
  return product_of(left);
}

class FlatArrays {
 public:
  explicit FlatArrays(LoopProgram& program) : program_(program) {
    for (Sequence& sequence : program.sequences)
      for (Nest& nest : sequence.nests)
        for (ArrayAccess& access : nest.accesses)
          if (program.array(access.array)->is_flat) accesses_[access.array].push_back(&access);
  }

  void shape() {
    for (const Sequence& sequence : program_.sequences)
      for (const Nest& nest : sequence.nests)
        for (const Reduction& reduction : nest.reductions)
          for (Array& array : program_.arrays)
            if (array.symbol == reduction.symbol && array.sizes.empty() && reduction.length > 0)
              array.sizes = {Affine(reduction.length)};
    // Parameters that no loop uses are no part of the stage.
    std::erase_if(program_.arrays, [this](const Array& array) {
      return array.is_parameter && array.sizes.empty() && !accesses_.contains(array.symbol);
    });
    for (Array& array : program_.arrays)
      if (array.is_flat && accesses_.contains(array.symbol)) give_rows(array);
    for (Array& array : program_.arrays)
      if (array.is_flat && array.sizes.size() < dimensions(array)) find_size(array);
    for (Array& array : program_.arrays)
      if (first_sizes_.contains(array.symbol)) widen(array);
    for (Array& array : program_.arrays)
      if (array.is_flat && array.sizes.size() == 1) find_row(array);
  }

 private:
  std::size_t dimensions(const Array& array) const {
    const auto found = accesses_.find(array.symbol);
    return found == accesses_.end() ? 1 : found->second.front()->indices.size();
  }

  void give_rows(Array& array) {
    const auto& accesses = accesses_.at(array.symbol);
    const Affine declared = array.sizes.empty() ? Affine(0) : array.sizes[0];
    for (const Stride& stride : strides_of(array)) {
      std::vector<Row> rows;
      for (const ArrayAccess* access : accesses) {
        const auto row = access->indices[0] ? row_of(*access, stride) : std::nullopt;
        if (!row) break;
        rows.push_back(*row);
      }
      if (rows.size() < accesses.size()) continue;
      std::optional<Affine> count;
      if (!array.sizes.empty() && !(count = quotient(declared, stride))) continue;
      for (std::size_t i = 0; i < rows.size(); ++i)
        accesses[i]->indices = {rows[i].index, rows[i].column};
      array.sizes = {stride.affine()};
      if (count) array.sizes.insert(array.sizes.begin(), *count);
      return;
    }
    for (ArrayAccess* access : accesses) {
      if (!access->indices[0] || is_linear(*access, *access->indices[0])) continue;
      if (access->writes)
        program_.refuse(access->at, "which row of " + quoted_name(array.symbol) +
                                        " is written is not clear: write " +
                                        name_of_symbol(array.symbol) +
                                        "[y * w + x] in loops with 0 <= x and x < w, or give "
                                        "numbers: --set w=640 --set h=480");
      const auto strides = strides_of(array);
      if (std::ranges::none_of(
              strides, [&](const Stride& each) { return row_of(*access, each).has_value(); }))
        leaves_row_[access] = text_of_left_row(*access, array);
      access->indices[0].reset();
    }
  }

  std::string text_of_left_row(const ArrayAccess& access, const Array& array) const {
    const std::string name = name_of_symbol(array.symbol);
    std::string text = "the row of this element of '" + name + "' is not clear";
    for (const Stride& stride : strides_of(array)) {
      const Row row = row_and_column(access, stride);
      const auto least = bound_of(access, row.column, false);
      const auto most = bound_of(access, row.column, true);
      if (!least || !most) continue;
      text = "column '" + text_of(row.column, name_of_symbol) + "' of '" + name + "' goes from " +
             text_of(*least, name_of_symbol) + " to " + text_of(*most, name_of_symbol) +
             ", and a row from 0 to " + text_of(stride.affine() - 1, name_of_symbol);
      break;
    }
    return text + ": keep the loops inside, or write " + name + "[h * w] and --set the sizes";
  }

  // Lengths that rows may have: factors of the indices that move by more than an element.
  std::vector<Stride> strides_of(const Array& array) const {
    std::vector<Stride> strides;
    std::vector<long> numbers;
    for (const ArrayAccess* access : accesses_.at(array.symbol)) {
      if (!access->indices[0]) continue;
      for (const auto& [term, times] : access->indices[0]->terms) {
        std::vector<Symbol> factors = factors_of(term);
        const auto counters =
            std::erase_if(factors, [&](const Symbol& each) { return is_counter(*access, each); });
        if (counters == 0) continue;
        if (factors.empty()) numbers.push_back(std::labs(times));
        if (!factors.empty() &&
            std::ranges::find(strides, factors, &Stride::factors) == strides.end())
          strides.push_back({factors, 0});
      }
    }
    for (Stride& stride : strides) {
      for (const ArrayAccess* access : accesses_.at(array.symbol))
        if (access->indices[0])
          for (const auto& [term, times] : access->indices[0]->terms)
            if (without(term, stride.factors)) stride.times = std::gcd(stride.times, times);
    }
    if (strides.empty()) {
      std::ranges::sort(numbers, std::greater{});
      const auto [end, last] = std::ranges::unique(numbers);
      numbers.erase(end, last);
      for (const long number : numbers)
        if (number > 1) strides.push_back({{}, number});
    }
    return strides;
  }

  static Row row_and_column(const ArrayAccess& access, const Stride& stride) {
    Row row;
    const Affine& index = *access.indices[0];
    row.column.constant = index.constant;
    for (const auto& [term, times] : index.terms) {
      const auto left =
          stride.factors.empty() ? std::optional(term) : without(term, stride.factors);
      if (left && times % stride.times == 0) {
        const long count = times / stride.times;
        row.index = row.index + (left->empty() ? Affine(count) : Affine::of(*left) * count);
      } else {
        row.column.terms[term] = times;
      }
    }
    return row;
  }

  static std::optional<Row> row_of(const ArrayAccess& access, const Stride& stride) {
    Row row = row_and_column(access, stride);
    if (!is_linear(access, row.index) || !is_linear(access, row.column)) return {};
    auto least = bound_of(access, row.column, false);
    auto most = bound_of(access, row.column, true);
    if (!least || !most) return {};
    // Other rows: (y + 1) * w - 1 - x is within row y.
    long moved = 0;
    if (stride.factors.empty() && least->is_constant()) {
      moved = least->constant >= 0 ? least->constant / stride.times
                                   : -((stride.times - 1 - least->constant) / stride.times);
    } else if (!(least->is_constant() && least->constant >= 0)) {
      moved = -1;
    }
    const Affine shift = stride.affine() * moved;
    row.index = row.index + Affine(moved);
    row.column = row.column - shift;
    const Affine first = *least - shift, room = stride.affine() - 1 - (*most - shift);
    if (!first.is_constant() || first.constant < 0) return {};
    if (!room.is_constant() || room.constant < 0) return {};
    return row;
  }

  static std::optional<Affine> quotient(const Affine& size, const Stride& stride) {
    if (stride.factors.empty()) {
      if (!size.is_constant() || size.constant % stride.times != 0) return {};
      return size.constant / stride.times;
    }
    Affine count;
    if (size.constant != 0) return {};
    for (const auto& [term, times] : size.terms) {
      const auto left = without(term, stride.factors);
      if (!left || times % stride.times != 0) return {};
      count = count + (left->empty() ? Affine(1) : Affine::of(*left)) * (times / stride.times);
    }
    return count;
  }

  // The size of the first dimension, which no declaration states.
  void find_size(Array& array) {
    const std::string name = name_of_symbol(array.symbol);
    const auto fail = [&](Place at) {
      program_.refuse(at, "the size of '" + name + "' is not clear: write " + name +
                              "[h * w], or --size " + name + "=h*w with --set for both");
    };
    if (!accesses_.contains(array.symbol)) fail(array.at);
    std::optional<Affine> size;
    for (const ArrayAccess* access : accesses_.at(array.symbol))
      if (const auto left = leaves_row_.find(access); left != leaves_row_.end())
        program_.refuse(access->at, left->second);
    for (const ArrayAccess* access : accesses_.at(array.symbol)) {
      const auto most =
          access->indices[0] ? bound_of(*access, *access->indices[0], true) : std::nullopt;
      if (!most) fail(access->at);
      if (!size) size = *most + 1;
      const Affine more = *most + 1 - *size;
      if (!more.is_constant()) fail(access->at);
      if (more.constant > 0) size = *most + 1;
    }
    // Loops over the middle of a picture do not reach its last row.
    if (!size->is_constant() && size->constant < 0) size->constant = 0;
    array.sizes.insert(array.sizes.begin(), *size);
    first_sizes_[array.symbol] = *size;
  }

  // Arrays of one kind have the largest size that one of them needs.
  void widen(Array& array) {
    if (array.sizes[0].is_constant() && array.sizes.size() == 1) return;  // a table
    for (const Array& other : program_.arrays) {
      if (other.sizes.size() != array.sizes.size() ||
          !std::equal(array.sizes.begin() + 1, array.sizes.end(), other.sizes.begin() + 1))
        continue;
      const Affine more = other.sizes[0] - array.sizes[0];
      if (more.is_constant() && more.constant > 0) array.sizes[0] = other.sizes[0];
    }
  }

  void find_row(Array& array) const {
    for (const Array& other : program_.arrays)
      if (other.sizes.size() == 2 && product(other.sizes[0], other.sizes[1]) == array.sizes[0])
        array.row = other.sizes[1];
  }

  LoopProgram& program_;
  std::map<Symbol, std::vector<ArrayAccess*>> accesses_;
  std::map<Symbol, Affine> first_sizes_;
  std::map<const ArrayAccess*, std::string> leaves_row_;  // why rows are not clear
};

}  // namespace

void shape_flat_arrays(LoopProgram& program) { FlatArrays(program).shape(); }

}  // namespace tandem::generate
