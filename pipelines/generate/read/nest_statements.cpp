// SPDX-License-Identifier: LGPL-2.1-or-later
// The statements and expressions that a body may have.

#include "pipelines/generate/opencl_names.h"
#include "pipelines/generate/read/nest_reader.h"

namespace tandem::generate {
namespace {

std::string name_of_type(CXCursor reference) {
  return spelling(clang().getCursorReferenced(reference));
}

std::string text_of_kind(CXCursorKind kind) {
  switch (kind) {
    case CXCursor_SwitchStmt:
      return "'switch' cannot be in a loop: write if and else";
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
      return "'goto' cannot be in a loop: write if and else";
    case CXCursor_StringLiteral:
      return "text cannot be in a loop: a stage has numbers alone";
    case CXCursor_MemberRefExpr:
      return "a member of a structure: write an array for each member";
    default:
      return "this construct is not supported in a loop (" +
             taken(clang().getCursorKindSpelling(kind)) +
             "): a stage has numbers, arrays, if, for, while and functions";
  }
}

bool is_continue(CXCursor statement) {
  while (kind(statement) == CXCursor_CompoundStmt) {
    const auto inside = children(statement);
    if (inside.empty()) return false;
    statement = inside.back();
  }
  return kind(statement) == CXCursor_ContinueStmt;
}

}  // namespace

void NestReader::check_type(CXCursor expression) const {
  const CXType type = type_of(expression);
  switch (type.kind) {
    case CXType_Double:
    case CXType_LongDouble:
      source_.refuse(expression,
                     "this is computed in double: a stage has float, as in 0.5f and sqrtf()");
    case CXType_LongLong:
    case CXType_ULongLong:
    case CXType_Int128:
    case CXType_UInt128:
    case CXType_Half:
    case CXType_Float16:
    case CXType_Complex:
    case CXType_Record:
    case CXType_Vector:
      source_.refuse(expression,
                     "the type '" + taken(clang().getTypeSpelling(type)) +
                         "' has no counterpart in a stage: write float, int or unsigned char");
    default:
      return;
  }
}

void NestReader::check_scalar(CXCursor expression) { walk(expression); }

void NestReader::walk_all(CXCursor cursor) {
  for (const CXCursor& child : children(cursor)) walk(child);
}

void NestReader::walk(CXCursor cursor) {
  if (clang().isExpression(kind(cursor))) check_type(cursor);
  switch (kind(cursor)) {
    case CXCursor_CompoundStmt:
      for (const CXCursor& statement : children(cursor)) walk_statement(statement);
      return;
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_InitListExpr:
    case CXCursor_NullStmt:
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
      return walk_all(cursor);
    case CXCursor_CStyleCastExpr:
      count();
      return walk_all(cursor);
    case CXCursor_TypeRef:
      if (!is_known_type(name_of_type(cursor)))
        source_.refuse(cursor, "the type '" + name_of_type(cursor) +
                                   "' is not supported: write float, int or unsigned char");
      return;
    case CXCursor_ConditionalOperator:
      count();
      return walk_choice(cursor);
    case CXCursor_DeclStmt:
      for (const CXCursor& declared : children(cursor)) walk_declaration(declared);
      return;
    case CXCursor_IfStmt:
      return walk_choice(cursor);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
      return walk_loop(cursor);
    case CXCursor_BinaryOperator: {
      const auto sides = children(cursor);
      const std::string operation = operator_of(source_, cursor);
      count();
      if (operation == "&&" || operation == "||") return walk_choice(cursor);
      if (operation != "=") return walk_all(cursor);
      walk_write(sides[0], cursor, false);
      walk(sides[1]);
      return take_value(sides[0], sides[1]);
    }
    case CXCursor_CompoundAssignOperator: {
      const auto sides = children(cursor);
      count();
      walk_write(sides[0], cursor, true);
      return walk(sides[1]);
    }
    case CXCursor_UnaryOperator: {
      const std::string operation = operator_of(source_, cursor);
      count();
      if (operation == "++" || operation == "--")
        return walk_write(children(cursor)[0], cursor, true);
      if (operation == "&" || operation == "*")
        source_.refuse(cursor, "'" + operation + "' of a pointer: write an element, as in in[i]");
      return walk_all(cursor);
    }
    case CXCursor_ArraySubscriptExpr:
      return walk_element(cursor, true, false, {});
    case CXCursor_DeclRefExpr:
      return walk_name(cursor);
    case CXCursor_CallExpr:
      return walk_call(cursor);
    case CXCursor_ContinueStmt:
      if (breakable_ == 0) nest_.skips = nest_.levels.size();
      return;
    case CXCursor_BreakStmt:
      if (breakable_ == 0)
        source_.refuse(cursor, "'break' ends a loop whose iterations have no order: use 'if'");
      return;
    case CXCursor_ReturnStmt:
      if (!in_function_) source_.refuse(cursor, "'return' inside of a loop: write if and else");
      return walk_all(cursor);
    default:
      source_.refuse(cursor, text_of_kind(kind(cursor)));
  }
}

// A variable that is assigned once has this value wherever it is read.
void NestReader::take_value(CXCursor target, CXCursor value) {
  const auto local = locals_.find(source_.symbol(bare(target)));
  if (local == locals_.end() || local->second.is_array || local->second.is_set ||
      program_.changed.contains(local->first) || conditions_ > 0 || !inner_.empty() ||
      type_of(target).kind != CXType_Int)
    return;
  local->second.value = affine(value);
}

// One that may be an update of a reduced variable.
void NestReader::walk_statement(CXCursor statement) {
  if (updates_) updates_->add(statement);
  walk(statement);
}

// The first part is always evaluated, the others are not.
void NestReader::walk_choice(CXCursor cursor) {
  const auto parts = children(cursor);
  const bool is_or =
      kind(cursor) == CXCursor_BinaryOperator && operator_of(source_, cursor) == "||";
  walk(parts[0]);
  ++conditions_;
  const std::size_t known = facts_.size();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    add_facts(parts[0], (i == 1) != is_or);
    if (kind(cursor) == CXCursor_IfStmt) {
      walk_statement(parts[i]);
    } else {
      walk(parts[i]);
    }
    facts_.resize(known);
  }
  --conditions_;
  // The code that follows is for iterations that did not end here.
  if (kind(cursor) == CXCursor_IfStmt && parts.size() == 2 && is_continue(parts[1]))
    add_facts(parts[0], false);
}

void NestReader::add_facts(CXCursor condition, bool holds) {
  const CXCursor inside = bare(condition);
  const auto parts = children(inside);
  const std::string operation = parts.empty() ? "" : operator_of(source_, inside);
  if (kind(inside) == CXCursor_UnaryOperator && operation == "!")
    return add_facts(parts[0], !holds);
  if (kind(inside) != CXCursor_BinaryOperator) return;
  if (operation == (holds ? "&&" : "||"))
    for (const CXCursor& part : parts) add_facts(part, holds);
  if (!is_whole(parts[0]) || !is_whole(parts[1])) return;
  const auto a = affine(parts[0]), b = affine(parts[1]);
  if (!a || !b || !is_linear(*a) || !is_linear(*b)) return;
  const Affine more = *a - *b, less = *b - *a;
  if (operation == "<") facts_.push_back({holds ? less - 1 : more});
  if (operation == ">") facts_.push_back({holds ? more - 1 : less});
  if (operation == "<=") facts_.push_back({holds ? less : more - 1});
  if (operation == ">=") facts_.push_back({holds ? more : less - 1});
  if (operation == (holds ? "!=" : "==")) facts_.push_back({more, true});
}

void NestReader::walk_loop(CXCursor cursor) {
  std::optional<Loop> loop;
  if (kind(cursor) == CXCursor_ForStmt) loop = counted(cursor);
  ++breakable_;
  const std::size_t known = facts_.size();
  const auto parts = children(cursor);
  if (!loop) {
    inner_.push_back({.at = source_.place(cursor)});
    for (const CXCursor& part : parts) walk_statement(part);
  } else {
    // The loop's head assigns the loop's own variable.
    if (kind(parts[0]) == CXCursor_DeclStmt) {
      walk(parts[0]);
    } else {
      walk_write(children(parts[0])[0], parts[0], false);
      walk(children(parts[0])[1]);
    }
    counters_.push_back(loop->variable);
    inner_.push_back(*loop);
    walk(parts[1]);
    walk_statement(parts[3]);
    counters_.pop_back();
  }
  inner_.pop_back();
  facts_.resize(known);
  --breakable_;
}

void NestReader::walk_declaration(CXCursor cursor) {
  if (kind(cursor) != CXCursor_VarDecl)
    source_.refuse(cursor,
                   "a declaration other than a variable: write it in front of the function");
  if (clang().Cursor_getStorageClass(cursor) != CX_SC_None &&
      clang().Cursor_getStorageClass(cursor) != CX_SC_Auto)
    source_.refuse(cursor, "a variable that outlives its iteration: leave static and extern out");
  CXType type = type_of(cursor);
  const bool is_array = type.kind == CXType_ConstantArray;
  while (type.kind == CXType_ConstantArray) type = clang().getElementType(type);
  if (type.kind == CXType_VariableArray || type.kind == CXType_Pointer)
    source_.refuse(
        cursor,
        type.kind == CXType_Pointer
            ? "the pointer " + quoted(spelling(cursor)) +
                  ": write the array with its whole index, as in in[y * w + x]"
            : std::string("an array of an iteration has a constant size, as in float part[9]"));
  check_type(cursor);
  const Symbol symbol = source_.symbol(cursor);
  locals_[symbol] = {.level = nest_.levels.size(), .is_array = is_array};
  nest_.uses.insert(symbol);
  walk_all(cursor);
  const auto value = initial_value(cursor);
  locals_[symbol].is_set = value.has_value();
  if (value && type.kind == CXType_Int && !is_array && !program_.changed.contains(symbol))
    locals_[symbol].value = affine(*value);
}

void NestReader::walk_name(CXCursor cursor) {
  const Symbol symbol = source_.symbol(cursor);
  const CXCursor declared = clang().getCursorReferenced(cursor);
  if (kind(declared) == CXCursor_EnumConstantDecl)
    source_.refuse(cursor, "an enumerator: use a macro, as in #define SIZE 9");
  if (symbol.empty())
    source_.refuse(cursor, "'" + spelling(cursor) +
                               "' is of another file: write its value, or give it to the function");
  nest_.uses.insert(symbol);
  if (updates_) updates_->check(symbol, source_.span(cursor).begin);
  if (locals_.contains(symbol) || value_of(symbol) || program_.scalar(symbol)) return;
  if (program_.array(symbol))
    source_.refuse(cursor, quoted_name(symbol) + " without indices: write one of its elements");
  use_table(declared);
}

// Constants of the file: a stage has them too.
void NestReader::use_table(CXCursor declared) {
  const std::string name = quoted(spelling(declared));
  if (kind(declared) == CXCursor_ParmDecl && in_function_) return;
  if (kind(declared) != CXCursor_VarDecl ||
      kind(clang().getCursorSemanticParent(declared)) != kind(source_.root()))
    source_.refuse(declared, name + " is neither a variable of the loop nor an array");
  CXType type = type_of(declared);
  bool is_const = clang().isConstQualifiedType(type) != 0;
  while (type.kind == CXType_ConstantArray) {
    type = clang().getElementType(type);
    is_const = is_const || clang().isConstQualifiedType(type) != 0;
  }
  if (!is_const) source_.refuse(declared, name + " of the file may change: make it const");
  const Span span = source_.span(declared);
  uses_.tables[span.begin] = span;
}

void NestReader::walk_call(CXCursor cursor) {
  const CXCursor callee = clang().getCursorReferenced(cursor);
  const std::string name = spelling(cursor);
  count();
  const auto parts = children(cursor);
  const CXCursor definition = clang().getCursorDefinition(callee);
  const bool is_known = is_known_function(name);
  const bool is_ours = !clang().Cursor_isNull(definition) && source_.is_here(definition);
  if (is_known && !is_ours && source_.is_here(callee))  // at its first use
    source_.refuse(cursor, name + "() is not declared: add #include <" +
                               (name == "abs" ? "stdlib.h>" : "math.h>"));
  if (const std::string word = source_.code(source_.span(cursor));
      word == "INFINITY" || word == "NAN")
    return;
  if (!is_known && !is_ours)
    source_.refuse(cursor, name +
                               "() cannot be called: a stage has the functions of this file and "
                               "those of <math.h> for float, as sqrtf()");
  for (std::size_t i = 1; i < parts.size(); ++i) walk(parts[i]);
  if (is_known && !is_ours) {
    for (std::size_t i = 1; i < parts.size() && name != "abs"; ++i)
      if (is_whole(parts[i])) {
        const Span span = source_.span(parts[i]);
        uses_.real_arguments[span.begin] = span;
      }
    return;
  }
  const Span span = source_.span(definition);
  if (uses_.open.contains(span.begin))
    source_.refuse(cursor, "the function '" + name + "' calls itself: write a loop");
  if (!uses_.functions.emplace(span.begin, span).second) return;
  uses_.open.insert(span.begin);
  walk_function(definition);
  uses_.open.erase(span.begin);
}

void NestReader::walk_function(CXCursor function) {
  NestReader inside(source_, program_, uses_);
  inside.in_function_ = true;
  for (const CXCursor& part : children(function)) {
    if (kind(part) == CXCursor_ParmDecl) {
      if (type_of(part).kind == CXType_Pointer)
        source_.refuse(part, "a function that is given a pointer: give it numbers, as in f(in[i])");
      inside.check_type(part);
      inside.locals_[source_.symbol(part)] = {};
    } else if (kind(part) == CXCursor_CompoundStmt) {
      inside.walk(part);
    }
  }
}

}  // namespace tandem::generate
