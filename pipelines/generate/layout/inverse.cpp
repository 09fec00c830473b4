// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/layout/inverse.h"

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

}  // namespace tandem::generate
