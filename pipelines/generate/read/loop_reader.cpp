// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/loop_reader.h"

#include <stdexcept>

namespace tandem::generate {
namespace {

struct Start {
  Symbol variable;
  CXCursor value;
};

// Others wrap around or round where whole numbers of the analysis do not.
bool is_int(CXCursor variable) { return type_of(variable).kind == CXType_Int; }

std::optional<Start> start_of(const ClangSource& source, CXCursor init) {
  if (kind(init) == CXCursor_DeclStmt) {
    const auto declared = children(init);
    if (declared.size() != 1 || kind(declared[0]) != CXCursor_VarDecl) return {};
    if (!is_int(declared[0])) return {};
    const auto value = initial_value(declared[0]);
    return value ? std::optional(Start{source.symbol(declared[0]), *value}) : std::nullopt;
  }
  const auto sides = children(init);
  if (kind(init) != CXCursor_BinaryOperator || operator_of(source, init) != "=" ||
      kind(bare(sides[0])) != CXCursor_DeclRefExpr || !is_int(sides[0]))
    return {};
  return Start{source.symbol(bare(sides[0])), sides[1]};
}

bool is_variable(const ClangSource& source, CXCursor expression, const Symbol& variable) {
  const CXCursor inside = bare(expression);
  return kind(inside) == CXCursor_DeclRefExpr && source.symbol(inside) == variable;
}

// The number that the loop adds to its variable each time; 0: something else happens.
long step_of(const ClangSource& source, CXCursor next, const Symbol& variable) {
  const auto operands = children(next);
  if (operands.empty() || !is_variable(source, operands[0], variable)) return 0;
  const std::string operation = operator_of(source, next);
  if (kind(next) == CXCursor_UnaryOperator)
    return operation == "++" ? 1 : operation == "--" ? -1 : 0;
  if (operands.size() != 2) return 0;
  CXCursor added = operands[1];
  long sign = operation == "+=" ? 1 : operation == "-=" ? -1 : 0;
  if (operation == "=") {
    const CXCursor sum = bare(operands[1]);
    const auto terms = children(sum);
    if (kind(sum) != CXCursor_BinaryOperator || !is_variable(source, terms[0], variable)) return 0;
    const std::string inner = operator_of(source, sum);
    sign = inner == "+" ? 1 : inner == "-" ? -1 : 0;
    added = terms[1];
  }
  const long step = constant_value(added).value_or(0);
  return step >= -kMostNumber && step <= kMostNumber ? sign * step : 0;
}

std::optional<Affine> sum_of(const ClangSource& source, CXCursor expression,
                             const ValueOf& value_of) {
  const CXCursor inside = bare(expression);
  if (const auto value = constant_value(inside)) return Affine(*value);
  const auto operands = children(inside);
  const auto operand = [&](std::size_t i) { return sum_of(source, operands[i], value_of); };
  if (kind(inside) == CXCursor_DeclRefExpr) {
    const Symbol symbol = source.symbol(inside);
    return symbol.empty() ? std::nullopt : value_of(symbol);
  }
  if (kind(inside) == CXCursor_UnaryOperator && operator_of(source, inside) == "-") {
    const auto value = operand(0);
    return value ? std::optional(*value * -1) : std::nullopt;
  }
  if (kind(inside) != CXCursor_BinaryOperator) return {};
  const std::string operation = operator_of(source, inside);
  if (std::string_view("+-*/%").find(operation) == std::string_view::npos) return {};
  const auto a = operand(0), b = operand(1);
  if (!a || !b) return {};
  if (operation == "*") return product(*a, *b);
  if (operation == "+" || operation == "-") return operation == "+" ? *a + *b : *a - *b;
  if (!a->is_constant() || !b->is_constant() || b->constant == 0) return {};
  return operation == "/" ? a->constant / b->constant : a->constant % b->constant;
}

}  // namespace

std::optional<Affine> affine_of(const ClangSource& source, CXCursor expression,
                                const ValueOf& value_of) {
  try {
    return sum_of(source, expression, value_of);
  } catch (const std::overflow_error&) {
    return {};
  }
}

std::optional<Loop> counted_loop(const ClangSource& source, CXCursor loop,
                                 const ValueOf& value_of) {
  const auto parts = children(loop);
  if (parts.size() != 4) return {};
  const auto start = start_of(source, parts[0]);
  if (!start || start->variable.empty() || kind(parts[1]) != CXCursor_BinaryOperator) return {};
  const auto sides = children(parts[1]);
  const std::string compare = operator_of(source, parts[1]);
  const long step = step_of(source, parts[2], start->variable);
  if (!is_variable(source, sides[0], start->variable) || step == 0) return {};
  const bool up = compare == "<" || compare == "<=", down = compare == ">" || compare == ">=";
  if ((step > 0 && !up) || (step < 0 && !down)) return {};
  Loop read{.variable = start->variable, .step = step, .at = source.place(loop)};
  const auto first = affine_of(source, start->value, value_of);
  auto last = affine_of(source, sides[1], value_of);
  if (last && compare == "<=") last->constant += 1;
  if (last && compare == ">") last->constant += 1;
  if (up) {
    read.begin = first;
    read.end = last;
  } else if (first && last) {  // the values that a loop downwards takes lie between these
    read.begin = last;
    read.end = *first + 1;
  }
  return read;
}

std::optional<Affine> size_of(const LoopProgram& program, const Symbol& symbol,
                              std::set<Symbol>& numbers) {
  const Scalar* const scalar = program.scalar(symbol);
  if (!scalar || scalar->is_real) return {};
  if (scalar->is_parameter && scalar->value) numbers.insert(symbol);
  if (scalar->value) return scalar->value;
  return scalar->is_parameter ? std::optional(Affine::of(symbol)) : std::nullopt;
}

}  // namespace tandem::generate
