// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/pointer_offsets.h"

#include <algorithm>

#include "pipelines/generate/read/pointer_bases.h"

namespace tandem::generate {
namespace {

class PointerReader {
 public:
  PointerReader(const ClangSource& source, CXCursor function, std::vector<Edit>& edits)
      : source_(source), bases_(source, function), edits_(edits) {
    if (!bases_.empty()) visit(function);
  }

 private:
  std::size_t begin(CXCursor cursor) const { return source_.span(cursor).begin; }
  std::size_t end(CXCursor cursor) const { return source_.span(cursor).end; }
  void edit(std::size_t begin, std::size_t end, std::string text) {
    edits_.push_back({{begin, end}, std::move(text)});
  }

  void visit_all(CXCursor cursor) {
    for (const CXCursor& child : children(cursor)) visit(child);
  }

  // As a condition a pointer is true, and the number that it becomes need not be.
  void check_conditions(CXCursor cursor) const {
    const auto parts = children(cursor);
    const std::string operation = clang().isExpression(kind(cursor)) && !parts.empty()
                                      ? operator_of(source_, cursor)
                                      : std::string();
    const auto refuse = [&](CXCursor at) {
      source_.refuse(at, "a pointer cannot be a condition, because all arrays of a stage exist");
    };
    switch (kind(cursor)) {
      case CXCursor_IfStmt:
      case CXCursor_WhileStmt:
      case CXCursor_DoStmt:
      case CXCursor_ForStmt:
        for (const CXCursor& part : parts)
          if (has_pointer_type(part) && !is_change(part)) refuse(part);
        return;
      case CXCursor_ConditionalOperator:
        if (has_pointer_type(parts[0])) refuse(parts[0]);
        return;
      case CXCursor_UnaryOperator:
        if (operation == "!" && has_pointer_type(parts[0])) refuse(parts[0]);
        return;
      case CXCursor_BinaryOperator:
        if ((operation == "==" || operation == "!=") &&
            has_pointer_type(parts[0]) != has_pointer_type(parts[1]))
          refuse(cursor);
        if (operation != "&&" && operation != "||") return;
        for (const CXCursor& part : parts)
          if (has_pointer_type(part)) refuse(part);
        return;
      default:
        return;
    }
  }

  bool is_change(CXCursor part) const {
    const std::string operation = children(part).empty() ? "" : operator_of(source_, part);
    return operation == "=" || operation == "++" || operation == "--" ||
           kind(part) == CXCursor_CompoundAssignOperator;
  }

  void visit(CXCursor cursor) {
    check_conditions(cursor);
    switch (kind(cursor)) {
      case CXCursor_ParmDecl:
        return;
      case CXCursor_DeclStmt:
        return declare(cursor);
      case CXCursor_ArraySubscriptExpr: {
        const auto parts = children(cursor);
        if (!bases_.is_moved(parts[0])) return visit_all(cursor);
        element(parts[0]);
        return index(cursor, parts, *bases_.of(parts[0]));
      }
      case CXCursor_UnaryOperator:
        if (operator_of(source_, cursor) == "*") {
          const auto parts = children(cursor);
          if (const auto base = bases_.of(parts[0])) {
            edit(begin(cursor), begin(parts[0]), "");
            element(parts[0]);
            edit(end(parts[0]), end(parts[0]), base->is_row ? "][0]" : "]");
            return;
          }
        }
        break;
      case CXCursor_CallExpr:
        for (const CXCursor& part : children(cursor))
          if (is_pointer(part) && bases_.is_moved(part))
            source_.refuse(part,
                           "a function that is given a pointer: give it the numbers that it "
                           "needs, as in f(row[x])");
        break;
      default:
        break;
    }
    if (clang().isExpression(kind(cursor)) && bases_.is_moved(cursor)) return offset(cursor);
    visit_all(cursor);
  }

  // In front of what says which element.
  void element(CXCursor place) {
    edit(begin(place), begin(place), name_of_symbol(bases_.of(place)->array) + "[");
    offset(place);
  }

  // Place and index, added: "in[row" is there already.
  void index(CXCursor cursor, const std::vector<CXCursor>& parts, const PointerBase& base) {
    const std::size_t close = end(cursor) - 1, open = bracket(cursor, end(parts[0]));
    if (base.is_row) {
      edit(open, open, "]");
    } else {
      const bool is_word = source_.tokens(source_.span(parts[1])).size() == 1;
      edit(open, open + 1, is_word ? " + " : " + (");
      if (!is_word) edit(close, close, ")");
    }
    visit(parts[1]);
  }

  std::size_t bracket(CXCursor cursor, std::size_t behind) const {
    for (const Token& token : source_.tokens(source_.span(cursor)))
      if (token.span.begin >= behind && source_.code(token.span) == "[") return token.span.begin;
    source_.refuse(cursor, "this element is not clear: write in[index]");
  }

  // The number that a pointer becomes, in place.
  void offset(CXCursor expression) {
    const CXCursor cursor = without_conversions(expression);
    const auto parts = children(cursor);
    switch (kind(cursor)) {
      case CXCursor_ParenExpr:
        return offset(parts[0]);
      case CXCursor_DeclRefExpr:
        if (!bases_.is_own(cursor)) edit(begin(cursor), end(cursor), "0");
        return;
      case CXCursor_ArraySubscriptExpr:
        return row(cursor, parts);
      case CXCursor_CStyleCastExpr:
        check_cast(cursor, parts.back());
        edit(begin(cursor), begin(parts.back()), "");
        return offset(parts.back());
      case CXCursor_ConditionalOperator:
        check_conditions(cursor);
        visit(parts[0]);
        offset(parts[1]);
        return offset(parts[2]);
      case CXCursor_UnaryOperator:
        return unary_offset(cursor, parts[0]);
      case CXCursor_BinaryOperator:
      case CXCursor_CompoundAssignOperator:
        return binary_offset(cursor, parts);
      default:
        source_.refuse(cursor, "where this points to is not clear: write in + y * w");
    }
  }

  // in[y] of in[h][w]: y.
  void row(CXCursor cursor, const std::vector<CXCursor>& parts) {
    edit(begin(cursor), bracket(cursor, end(parts[0])) + 1, "(");
    visit(parts[1]);
    edit(end(cursor) - 1, end(cursor), ")");
  }

  void unary_offset(CXCursor cursor, CXCursor part) {
    const std::string operation = operator_of(source_, cursor);
    if (operation == "&") {
      const CXCursor element = without_conversions(part);
      const auto parts = children(element);
      edit(begin(cursor), begin(element), "(");
      if (bases_.of(parts[0])->is_row) refuse_row(cursor);
      const std::size_t open = bracket(element, end(parts[0])), close = end(element) - 1;
      if (bases_.is_moved(parts[0])) {
        offset(parts[0]);
        edit(open, open + 1, " + (");
        edit(close, close + 1, "))");
      } else {  // of the array itself
        edit(begin(parts[0]), open + 1, "");
        edit(close, close + 1, ")");
      }
      return visit(parts[1]);
    }
    check_change(cursor, part);
    offset(part);
  }

  void binary_offset(CXCursor cursor, const std::vector<CXCursor>& parts) {
    const std::string operation = operator_of(source_, cursor);
    if (operation == "=") {
      check_change(cursor, parts[0]);
      return offset(parts[1]);
    }
    if (kind(cursor) == CXCursor_CompoundAssignOperator) check_change(cursor, parts[0]);
    const std::size_t at = has_pointer_type(parts[0]) ? 0 : 1;
    if (const auto base = bases_.of(parts[at]); base && base->is_row) refuse_row(cursor);
    if (operation == "+" && at == 0 && !bases_.is_moved(parts[0]) &&
        kind(bare(parts[0])) == CXCursor_DeclRefExpr) {
      edit(begin(parts[0]), begin(parts[1]), "");  // of the array itself
    } else {
      offset(parts[at]);
    }
    visit(parts[1 - at]);
  }

  [[noreturn]] void refuse_row(CXCursor at) const {
    source_.refuse(at,
                   "a pointer into a row of an array with several dimensions cannot be moved: "
                   "write its whole index, as in in[y][x]");
  }

  void check_change(CXCursor at, CXCursor target) const {
    if (!bases_.is_own(target))
      source_.refuse(at,
                     "an array of the function is moved: declare a pointer for it, as in "
                     "const float *row = in + y * w");
    if (bases_.of(target)->is_row && operator_of(source_, at) != "=") refuse_row(at);
  }

  void check_cast(CXCursor cast, CXCursor from) const {
    if (element_kind(from) != element_kind(cast))
      source_.refuse(cast,
                     "a pointer to elements of another type: read the element and convert "
                     "it, as in (int)in[i]");
  }

  void declare(CXCursor statement) {
    const auto all = children(statement);
    const auto pointers = std::ranges::count_if(all, [](const CXCursor& each) {
      return kind(each) == CXCursor_VarDecl && is_pointer(each);
    });
    if (pointers == 0) return visit_all(statement);
    if (pointers != std::ssize(all))
      source_.refuse(statement,
                     "a pointer is declared together with other variables: give it a "
                     "declaration of its own");
    std::size_t from = begin(statement);
    for (const CXCursor& each : all) {
      const std::string head =
          (from == begin(statement) ? "int " : ", ") + name_of_symbol(source_.symbol(each));
      const auto value = initial_value(each);
      edit(from, value ? begin(*value) : end(each), head + (value ? " = " : ""));
      if (value) offset(*value);
      from = end(each);
    }
  }

  const ClangSource& source_;
  const PointerBases bases_;
  std::vector<Edit>& edits_;
};

}  // namespace

std::vector<Edit> pointer_offsets(const ClangSource& source, const std::string& function) {
  std::vector<Edit> edits;
  for (const CXCursor& found : functions_of(source, function)) PointerReader(source, found, edits);
  return edits;
}

}  // namespace tandem::generate
