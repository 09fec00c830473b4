// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/generate/loop_program.h"
#include "pipelines/generate/read/clang_library.h"
#include "pipelines/generate/read/expand_macros.h"

/// libclang in the terms of the generator. Only files that read C include this.
namespace tandem::generate {

std::string taken(CXString text);

/// A file as libclang parsed it, without the file's own macros, and without local pointers in the
/// function with loops (pointer_offsets.h). Mistakes in its C are refusals.
class ClangSource {
 public:
  /// `function`: with loops; empty: each with a pragma.
  ClangSource(const std::string& text, const std::string& path, const std::string& function);
  ~ClangSource();
  ClangSource(const ClangSource&) = delete;
  ClangSource& operator=(const ClangSource&) = delete;

  const std::string& text() const { return code_.text; }
  const std::string& path() const { return path_; }
  CXCursor root() const { return clang().getTranslationUnitCursor(unit_); }
  /// Whether it stands in the file itself and not in an included one.
  bool is_here(CXCursor cursor) const;

  Span span(CXCursor cursor) const;
  std::string code(Span span) const { return text().substr(span.begin, span.end - span.begin); }
  /// In the file as it was written.
  Place place(std::size_t offset) const { return place_in(file_text_, code_.source(offset)); }
  Place place(CXCursor cursor) const { return place(span(cursor).begin); }
  [[noreturn]] void refuse(CXCursor at, const std::string& reason) const;
  [[noreturn]] void refuse(std::size_t offset, const std::string& reason) const;

  /// The symbol of a declaration, or of the one that an expression refers to; empty when it is not
  /// of this file.
  Symbol symbol(CXCursor cursor) const;
  /// The words of a part of the file without comments.
  std::vector<Token> tokens(Span span) const;

  /// The macros that are numbers and that these parts of the file use.
  std::vector<NamedNumber> numbers_in(const std::vector<Span>& spans) const;
  /// Refuses macros of other files in these parts of the file.
  void check_macros(const std::vector<Span>& spans) const;

 private:
  void parse(const std::string& text, bool openmp);

  const std::string file_text_, path_;
  ExpandedCode code_;
  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
  CXFile file_ = nullptr;
};

/// The file's functions of that name; without a name, those with a pragma.
std::vector<CXCursor> functions_of(const ClangSource& source, const std::string& name);

std::vector<CXCursor> children(CXCursor cursor);
CXCursorKind kind(CXCursor cursor);
std::string spelling(CXCursor cursor);
/// The canonical type, and that of the elements of an array or pointer: else of kind
/// CXType_Invalid.
CXType type_of(CXCursor cursor);
CXType element_of(CXType type);
/// The value that a declaration gives its variable.
std::optional<CXCursor> initial_value(CXCursor declaration);
/// Without conversions that the compiler adds; bare() removes parentheses too.
CXCursor without_conversions(CXCursor cursor);
CXCursor bare(CXCursor cursor);
/// The operator of a unary, binary or assigning expression: "+=". Postfix ones too.
std::string operator_of(const ClangSource& source, CXCursor cursor);
/// The value of a constant expression of whole numbers.
std::optional<long> constant_value(CXCursor expression);
bool is_zero(CXCursor expression);

}  // namespace tandem::generate
