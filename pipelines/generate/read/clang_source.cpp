// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/clang_source.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>

#include "kernels/stage_file/parse/names.h"
#include "pipelines/generate/read/pointer_offsets.h"

namespace tandem::generate {
namespace {

// Macros of C's headers that both sides of a stage have.
constexpr std::array<std::string_view, 5> kSame{"INFINITY", "NAN", "bool", "false", "true"};

void visit(CXCursor cursor, const std::function<void(CXCursor)>& each) {
  clang().visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        (*static_cast<const std::function<void(CXCursor)>*>(data))(child);
        return CXChildVisit_Continue;
      },
      const_cast<std::function<void(CXCursor)>*>(&each));
}

using Value =
    std::unique_ptr<void, decltype([](CXEvalResult value) { clang().EvalResult_dispose(value); })>;

std::size_t offset_of(CXSourceLocation location) {
  unsigned offset = 0;
  clang().getExpansionLocation(location, nullptr, nullptr, nullptr, &offset);
  return offset;
}

Span span_of(CXSourceRange range) {
  return {offset_of(clang().getRangeStart(range)), offset_of(clang().getRangeEnd(range))};
}

}  // namespace

std::string taken(CXString text) {
  const char* const c = clang().getCString(text);
  std::string copy = c ? c : "";
  clang().disposeString(text);
  return copy;
}

ClangSource::ClangSource(const std::string& text, const std::string& path,
                         const std::string& function)
    : file_text_(text), path_(path), index_(clang().createIndex(0, 0)) {
  // With -fopenmp libclang says what is wrong with the pragmas; without it, loops are plain loops.
  code_.text = text;
  parse(text, true);
  std::vector<Span> definitions;
  visit(root(), [&](CXCursor cursor) {
    if (kind(cursor) == CXCursor_MacroDefinition && is_here(cursor))
      definitions.push_back(span(cursor));
  });
  code_ = expand_macros(text, path, definitions);
  parse(code_.text, false);
  if (const auto edits = pointer_offsets(*this, function); !edits.empty()) {
    code_ = edited(code_, edits);
    parse(code_.text, false);
  }
}

void ClangSource::parse(const std::string& text, bool openmp) {
  const char* const words[] = {"-x", "c", "-std=gnu11", "-Wno-everything", "-fopenmp"};
  CXUnsavedFile unsaved{path_.c_str(), text.c_str(), text.size()};
  if (unit_) clang().disposeTranslationUnit(unit_);
  unit_ = clang().parseTranslationUnit(index_, path_.c_str(), words, openmp ? 5 : 4, &unsaved, 1,
                                       CXTranslationUnit_DetailedPreprocessingRecord);
  if (!unit_) throw std::runtime_error("libclang cannot read '" + path_ + "'");
  file_ = clang().getFile(unit_, path_.c_str());
  for (unsigned i = 0; i < clang().getNumDiagnostics(unit_); ++i) {
    CXDiagnostic problem = clang().getDiagnostic(unit_, i);
    unsigned line = 0, column = 0;
    clang().getExpansionLocation(clang().getDiagnosticLocation(problem), nullptr, &line, &column,
                                 nullptr);
    const bool is_error = clang().getDiagnosticSeverity(problem) >= CXDiagnostic_Error;
    const std::string what = taken(clang().getDiagnosticSpelling(problem));
    clang().disposeDiagnostic(problem);
    if (is_error) throw Refusal(path_, {static_cast<int>(line), static_cast<int>(column)}, what);
  }
}

ClangSource::~ClangSource() {
  if (unit_) clang().disposeTranslationUnit(unit_);
  clang().disposeIndex(index_);
}

bool ClangSource::is_here(CXCursor cursor) const {
  CXFile file = nullptr;
  clang().getExpansionLocation(clang().getCursorLocation(cursor), &file, nullptr, nullptr, nullptr);
  return file && clang().File_isEqual(file, file_);
}

Span ClangSource::span(CXCursor cursor) const { return span_of(clang().getCursorExtent(cursor)); }

void ClangSource::refuse(CXCursor at, const std::string& reason) const {
  throw Refusal(path_, place(at), reason);
}

void ClangSource::refuse(std::size_t offset, const std::string& reason) const {
  throw Refusal(path_, place(offset), reason);
}

Symbol ClangSource::symbol(CXCursor cursor) const {
  const CXCursor declared =
      clang().isDeclaration(kind(cursor)) ? cursor : clang().getCursorReferenced(cursor);
  if (clang().Cursor_isNull(declared) || !is_here(declared)) return {};
  return spelling(declared) + "#" + std::to_string(offset_of(clang().getCursorLocation(declared)));
}

std::vector<Token> ClangSource::tokens(Span span) const {
  const auto location = [this](std::size_t offset) {
    return clang().getLocationForOffset(unit_, file_, static_cast<unsigned>(offset));
  };
  CXToken* all = nullptr;
  unsigned count = 0;
  clang().tokenize(unit_, clang().getRange(location(span.begin), location(span.end)), &all, &count);
  std::vector<CXCursor> cursors(count);
  clang().annotateTokens(unit_, all, count, cursors.data());
  std::vector<Token> tokens;
  for (unsigned i = 0; i < count; ++i) {
    if (clang().getTokenKind(all[i]) == CXToken_Comment) continue;
    Token token{span_of(clang().getTokenExtent(unit_, all[i])), {}};
    if (token.span.begin >= span.end) continue;
    if (clang().getTokenKind(all[i]) == CXToken_Identifier) {
      const Symbol symbol = this->symbol(cursors[i]);
      if (name_of_symbol(symbol) == code(token.span)) token.symbol = symbol;
    }
    tokens.push_back(token);
  }
  clang().disposeTokens(unit_, all, count);
  return tokens;
}

std::vector<NamedNumber> ClangSource::numbers_in(const std::vector<Span>& spans) const {
  std::vector<NamedNumber> found;
  std::ranges::copy_if(code_.numbers, std::back_inserter(found), [&](const NamedNumber& each) {
    return std::ranges::any_of(spans, [&](const Span& span) { return span.holds(each.span); });
  });
  return found;
}

void ClangSource::check_macros(const std::vector<Span>& spans) const {
  visit(root(), [&](CXCursor cursor) {
    if (kind(cursor) != CXCursor_MacroExpansion || !is_here(cursor)) return;
    const Span use = span(cursor);
    const std::string name = spelling(cursor);
    if (std::ranges::any_of(spans, [&](const Span& span) { return span.holds(use); }) &&
        std::ranges::find(kSame, name) == kSame.end())
      refuse(use.begin,
             "the macro '" + name + "' is of another file: write its value, or define it here");
  });
}

std::vector<CXCursor> children(CXCursor cursor) {
  std::vector<CXCursor> all;
  visit(cursor, [&](CXCursor child) { all.push_back(child); });
  return all;
}

std::vector<CXCursor> functions_of(const ClangSource& source, const std::string& name) {
  auto found = children(source.root());
  std::erase_if(found, [&](CXCursor cursor) {
    if (kind(cursor) != CXCursor_FunctionDecl || !clang().isCursorDefinition(cursor) ||
        !source.is_here(cursor))
      return true;
    return name.empty() ? source.code(source.span(cursor)).find("#pragma") == std::string::npos
                        : spelling(cursor) != name;
  });
  return found;
}

CXCursorKind kind(CXCursor cursor) { return clang().getCursorKind(cursor); }

std::string spelling(CXCursor cursor) { return taken(clang().getCursorSpelling(cursor)); }

CXType type_of(CXCursor cursor) { return clang().getCanonicalType(clang().getCursorType(cursor)); }

CXType element_of(CXType type) {
  return clang().getCanonicalType(type.kind == CXType_Pointer ? clang().getPointeeType(type)
                                                              : clang().getArrayElementType(type));
}

std::optional<CXCursor> initial_value(CXCursor declaration) {
  const auto inside = children(declaration);
  if (inside.empty() || !clang().isExpression(kind(inside.back()))) return {};
  return inside.back();
}

CXCursor without_conversions(CXCursor cursor) {
  while (kind(cursor) == CXCursor_UnexposedExpr) {
    const auto inside = children(cursor);
    if (inside.size() != 1) break;
    cursor = inside[0];
  }
  return cursor;
}

CXCursor bare(CXCursor cursor) {
  for (;;) {
    cursor = without_conversions(cursor);
    const auto inside = children(cursor);
    if (kind(cursor) != CXCursor_ParenExpr || inside.size() != 1) return cursor;
    cursor = inside[0];
  }
}

std::string operator_of(const ClangSource& source, CXCursor cursor) {
  const Span all = source.span(cursor);
  const auto operands = children(cursor);
  if (operands.empty()) return {};
  const Span first = source.span(operands[0]);
  Span between{first.end, all.end};
  if (operands.size() > 1) between.end = source.span(operands[1]).begin;
  if (operands.size() == 1 && first.begin > all.begin) between = {all.begin, first.begin};
  const std::string code = source.code(between);  // which the words are parts of
  std::string text;
  for (const CodeWord& word : words_of(code)) text += word.text;
  return text;
}

std::optional<long> constant_value(CXCursor expression) {
  const Value value(clang().Cursor_Evaluate(expression));
  if (!value || clang().EvalResult_getKind(value.get()) != CXEval_Int) return {};
  return static_cast<long>(clang().EvalResult_getAsLongLong(value.get()));
}

bool is_zero(CXCursor expression) {
  const Value value(clang().Cursor_Evaluate(expression));
  return value && clang().EvalResult_getKind(value.get()) == CXEval_Float
             ? clang().EvalResult_getAsDouble(value.get()) == 0
             : constant_value(expression) == 0;
}

}  // namespace tandem::generate
