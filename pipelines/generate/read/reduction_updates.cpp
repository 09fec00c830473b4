// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/reduction_updates.h"

#include <algorithm>

namespace tandem::generate {
namespace {

bool is_choice(const Reduction& reduction) {
  return reduction.operation == "max" || reduction.operation == "min";
}

// The form of an update, for messages.
std::string form_of(const Reduction& reduction, const std::string& name) {
  const std::string target = name + (reduction.is_array ? "[...]" : "");
  if (!is_choice(reduction)) return target + " " + reduction.operation + "= value";
  const std::string sign = reduction.operation == "max" ? " > " : " < ";
  return "if (value" + sign + target + ") " + target + " = value";
}

// The one statement of a block; a block of several, as it is.
CXCursor only_statement(CXCursor statement) {
  while (kind(statement) == CXCursor_CompoundStmt) {
    const auto inside = children(statement);
    if (inside.size() != 1) break;
    statement = inside[0];
  }
  return statement;
}

}  // namespace

bool is_whole(CXCursor expression) {
  const CXTypeKind type = type_of(bare(expression)).kind;
  return type >= CXType_Bool && type <= CXType_Int128;  // enumerators in between are whole, too
}

void ReductionUpdates::add(CXCursor statement) {
  if (reductions_.empty()) return;
  const CXCursor inside = bare(statement);
  if (kind(inside) == CXCursor_BinaryOperator && operator_of(source_, inside) == ",") {
    for (const CXCursor& part : children(inside)) add(part);
    return;
  }
  if (!add_update(inside)) add_choice(inside);
}

// s += value, s++, s = s + value, s = value > s ? value : s
bool ReductionUpdates::add_update(CXCursor statement) {
  const CXCursorKind kind = generate::kind(statement);
  if (kind != CXCursor_BinaryOperator && kind != CXCursor_CompoundAssignOperator &&
      kind != CXCursor_UnaryOperator)
    return false;
  const auto sides = children(statement);
  const CXCursor target = bare(sides[0]);
  const Reduction* const reduction = of(target);
  if (!reduction || mentions(target, reduction->symbol) != 1) return false;
  const std::string operation = operator_of(source_, statement);
  const bool is_sum = reduction->operation == "+";
  bool is_update = false;
  if (kind == CXCursor_UnaryOperator) {
    is_update = is_sum && (operation == "++" || operation == "--");
  } else if (mentions(sides[1], reduction->symbol) == 0) {
    is_update = operation == reduction->operation + "=" || (is_sum && operation == "-=");
  } else if (operation == "=" && mentions(sides[1], reduction->symbol) == 1) {
    is_update = adds_to(sides[1], target, *reduction) || chooses(sides[1], target, *reduction);
  } else if (operation == "=") {
    is_update = chooses(sides[1], target, *reduction);
  }
  if (!is_update) return false;
  if (kind != CXCursor_UnaryOperator) check_value(sides[1], target, *reduction);
  allow(*reduction, statement);
  return true;
}

// if (value > s) s = value;
bool ReductionUpdates::add_choice(CXCursor statement) {
  if (kind(statement) != CXCursor_IfStmt) return false;
  const auto parts = children(statement);
  if (parts.size() != 2) return false;
  const CXCursor assignment = bare(only_statement(parts[1]));
  if (kind(assignment) != CXCursor_BinaryOperator || operator_of(source_, assignment) != "=")
    return false;
  const auto sides = children(assignment);
  const CXCursor target = bare(sides[0]);
  const Reduction* const reduction = of(target);
  if (!reduction || !is_choice(*reduction) || mentions(sides[1], reduction->symbol) > 0)
    return false;
  // Other conditions, joined by &&, say whether there is a value.
  std::vector<CXCursor> conditions{bare(parts[0])};
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    if (mentions(conditions[i], reduction->symbol) == 0) continue;
    if (kind(conditions[i]) == CXCursor_BinaryOperator &&
        operator_of(source_, conditions[i]) == "&&") {
      for (const CXCursor& part : children(conditions[i])) conditions.push_back(bare(part));
      continue;
    }
    const auto compared = comparison(conditions[i], target, *reduction);
    if (!compared || !compared->value_wins || !same(compared->value, sides[1])) return false;
  }
  if (mentions(parts[0], reduction->symbol) != 1) return false;
  allow(*reduction, statement);
  return true;
}

void ReductionUpdates::allow(const Reduction& reduction, CXCursor part) {
  changed_.insert(reduction.symbol);
  for (const Token& token : source_.tokens(source_.span(part)))
    if (token.symbol == reduction.symbol) allowed_.insert(token.span.begin);
}

const Reduction* ReductionUpdates::of(CXCursor target) const {
  bool is_element = false;
  while (kind(target) == CXCursor_ArraySubscriptExpr) {
    target = bare(children(target)[0]);
    is_element = true;
  }
  if (kind(target) != CXCursor_DeclRefExpr) return nullptr;
  const auto found = std::ranges::find(reductions_, source_.symbol(target), &Reduction::symbol);
  return found != reductions_.end() && found->is_array == is_element ? &*found : nullptr;
}

bool ReductionUpdates::same(CXCursor a, CXCursor b) const {
  const auto first = source_.tokens(source_.span(bare(a)));
  const auto second = source_.tokens(source_.span(bare(b)));
  return std::ranges::equal(first, second, [this](const Token& x, const Token& y) {
    return x.symbol == y.symbol && source_.code(x.span) == source_.code(y.span);
  });
}

bool ReductionUpdates::is_target(CXCursor expression, CXCursor target) const {
  return of(bare(expression)) && same(expression, target);
}

int ReductionUpdates::mentions(CXCursor part, const Symbol& symbol) const {
  const auto tokens = source_.tokens(source_.span(part));
  return static_cast<int>(std::ranges::count(tokens, symbol, &Token::symbol));
}

// A chain of one operator that has the variable once: s + a - b.
bool ReductionUpdates::adds_to(CXCursor value, CXCursor target, const Reduction& reduction) const {
  const CXCursor inside = bare(value);
  if (is_target(inside, target)) return true;
  if (kind(inside) != CXCursor_BinaryOperator) return false;
  const auto sides = children(inside);
  const std::string operation = operator_of(source_, inside);
  const bool in_second = mentions(sides[1], reduction.symbol) > 0;
  const bool minus = reduction.operation == "+" && operation == "-" && !in_second;
  return (operation == reduction.operation || minus) &&
         adds_to(sides[in_second ? 1 : 0], target, reduction);
}

// value > s ? value : s, and fmaxf(s, value)
bool ReductionUpdates::chooses(CXCursor value, CXCursor target, const Reduction& reduction) const {
  if (!is_choice(reduction)) return false;
  const CXCursor inside = bare(value);
  const auto parts = children(inside);
  if (kind(inside) == CXCursor_CallExpr) {
    const std::string name = reduction.operation == "max" ? "fmaxf" : "fminf";
    if (parts.size() != 3 || spelling(inside) != name) return false;
    return (is_target(parts[1], target) && mentions(parts[2], reduction.symbol) == 0) ||
           (is_target(parts[2], target) && mentions(parts[1], reduction.symbol) == 0);
  }
  if (kind(inside) != CXCursor_ConditionalOperator) return false;
  const auto compared = comparison(bare(parts[0]), target, reduction);
  if (!compared) return false;
  const CXCursor won = parts[compared->value_wins ? 1 : 2];
  const CXCursor lost = parts[compared->value_wins ? 2 : 1];
  return same(won, compared->value) && is_target(lost, target);
}

std::optional<ReductionUpdates::Comparison> ReductionUpdates::comparison(
    CXCursor condition, CXCursor target, const Reduction& reduction) const {
  if (kind(condition) != CXCursor_BinaryOperator) return {};
  const auto sides = children(condition);
  const std::string sign = operator_of(source_, condition);
  const bool is_greater = sign == ">" || sign == ">=";
  if (!is_greater && sign != "<" && sign != "<=") return {};
  const bool is_first = is_target(sides[0], target);
  if (is_first == is_target(sides[1], target)) return {};
  const CXCursor value = sides[is_first ? 1 : 0];
  if (mentions(value, reduction.symbol) > 0) return {};
  const bool value_is_greater = is_greater != is_first;
  return Comparison{value, value_is_greater == (reduction.operation == "max")};
}

// A whole number that gets a sum of floats is rounded by each iteration.
void ReductionUpdates::check_value(CXCursor value, CXCursor target,
                                   const Reduction& reduction) const {
  if (is_choice(reduction) || !is_whole(target) || is_whole(value)) return;
  const std::string name = quoted_name(reduction.symbol);
  source_.refuse(value, name +
                            " is whole and the value is not: each iteration would round the result "
                            "so far, and how often depends on how the loop is cut. Convert the "
                            "value as in (int)(value), or make " +
                            name + " float");
}

void ReductionUpdates::check(const Symbol& symbol, std::size_t at) const {
  const auto reduction = std::ranges::find(reductions_, symbol, &Reduction::symbol);
  if (reduction == reductions_.end() || allowed_.contains(at)) return;
  const std::string name = name_of_symbol(symbol);
  source_.refuse(at, quoted(name) + " is in reduction(" + reduction->operation + " : " + name +
                         "), so that the loop may only do '" + form_of(*reduction, name) +
                         "': anything else depends on how the iterations are shared out. Write "
                         "that form as a statement of its own, and read " +
                         quoted(name) + " behind the loop");
}

}  // namespace tandem::generate
