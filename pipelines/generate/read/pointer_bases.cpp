// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/pointer_bases.h"

namespace tandem::generate {
namespace {

bool is_number(CXTypeKind kind) {
  return kind == CXType_Float || kind == CXType_Int || kind == CXType_UChar;
}

}  // namespace

CXTypeKind element_kind(CXCursor from) { return element_of(type_of(bare(from))).kind; }

bool is_pointer(CXCursor cursor) {
  const CXType type = type_of(cursor);
  return type.kind == CXType_Pointer && is_number(element_of(type).kind);
}

bool has_pointer_type(CXCursor cursor) { return is_number(element_kind(cursor)); }

PointerBases::PointerBases(const ClangSource& source, CXCursor function) : source_(source) {
  collect(function);
  // One pointer may be given another, which is declared in front of it.
  for (std::size_t known = 0; known < bases_.size() + 1; ++known)
    for (const auto& [symbol, value] : values_) find(symbol, value);
  for (const auto& [symbol, declared] : pointers_) {
    const std::string own = name_of_symbol(symbol);
    if (!bases_.contains(symbol))
      source_.refuse(declared, "which array the pointer " + quoted_name(symbol) +
                                   " points into is not clear: write " + own +
                                   " = in + y * w, and " + own + "[x] for its elements");
    check_name(bases_.at(symbol).array);
  }
}

bool PointerBases::is_own(CXCursor expression) const {
  const CXCursor inside = bare(expression);
  return kind(inside) == CXCursor_DeclRefExpr && pointers_.contains(source_.symbol(inside));
}

bool PointerBases::is_moved(CXCursor expression) const {
  return is_pointer(expression) &&
         (kind(bare(expression)) != CXCursor_DeclRefExpr || is_own(expression));
}

// Pointers, and what they are given.
void PointerBases::collect(CXCursor cursor) {
  for (const CXCursor& child : children(cursor)) {
    if (kind(child) == CXCursor_VarDecl) {
      names_.push_back(source_.symbol(child));
      if (is_pointer(child)) {
        pointers_[source_.symbol(child)] = child;
        if (const auto value = initial_value(child))
          values_.emplace_back(source_.symbol(child), *value);
      }
    }
    if (kind(child) == CXCursor_BinaryOperator && is_pointer(child) &&
        operator_of(source_, child) == "=") {
      const auto sides = children(child);
      values_.emplace_back(source_.symbol(bare(sides[0])), sides[1]);
    }
    collect(child);
  }
}

void PointerBases::find(const Symbol& symbol, CXCursor value) {
  const auto base = of(value);
  if (!base || !pointers_.contains(symbol)) return;
  const auto [found, is_new] = bases_.emplace(symbol, *base);
  if (is_new || found->second == *base) return;
  source_.refuse(value, "the pointer " + quoted_name(symbol) + " points into " +
                            quoted_name(found->second.array) + " and into " +
                            quoted_name(base->array) + ": give each array a pointer of its own");
}

std::optional<PointerBase> PointerBases::of(CXCursor expression) const {
  const CXCursor inside = bare(expression);
  const auto parts = children(inside);
  switch (kind(inside)) {
    case CXCursor_DeclRefExpr: {
      const Symbol symbol = source_.symbol(inside);
      if (const auto known = bases_.find(symbol); known != bases_.end()) return known->second;
      if (symbol.empty() || pointers_.contains(symbol)) return {};
      return PointerBase{symbol};
    }
    case CXCursor_ArraySubscriptExpr: {  // a row of in[h][w]
      const CXCursor array = bare(parts[0]);
      if (kind(array) != CXCursor_DeclRefExpr || source_.symbol(array).empty()) return {};
      return PointerBase{source_.symbol(array), true};
    }
    case CXCursor_UnaryOperator:
      if (operator_of(source_, inside) == "&") {
        const CXCursor element = bare(parts[0]);
        if (kind(element) != CXCursor_ArraySubscriptExpr) return {};
        return of(children(element)[0]);
      }
      return of(parts[0]);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
      for (const CXCursor& part : parts)
        if (has_pointer_type(part)) return of(part);
      return {};
    case CXCursor_ConditionalOperator: {
      const auto base = of(parts[1]);
      return base == of(parts[2]) ? base : std::nullopt;
    }
    case CXCursor_CStyleCastExpr:
      return of(parts.back());
    default:
      return {};
  }
}

// The array's name stands for it wherever the pointer was used.
void PointerBases::check_name(const Symbol& array) const {
  for (const Symbol& each : names_)
    if (each != array && name_of_symbol(each) == name_of_symbol(array))
      source_.refuse(pointers_.begin()->second,
                     quoted_name(array) +
                         " is the name of an array that a pointer points into, and of another "
                         "variable: give that another name");
}

}  // namespace tandem::generate
