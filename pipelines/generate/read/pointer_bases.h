// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pipelines/generate/read/clang_source.h"

namespace tandem::generate {

/// The array that a pointer points into.
struct PointerBase {
  Symbol array;
  bool is_row = false;  ///< in[y] of in[h][w]
  bool operator==(const PointerBase&) const = default;
};

/// Which pointers a function declares, and which arrays they point into.
class PointerBases {
 public:
  /// Throws Refusal for a pointer whose array is not clear.
  PointerBases(const ClangSource& source, CXCursor function);

  bool empty() const { return pointers_.empty(); }
  /// A pointer of the function, by its name.
  bool is_own(CXCursor expression) const;
  /// Whether an expression is a pointer other than an array by its name.
  bool is_moved(CXCursor expression) const;
  /// Null: not clear.
  std::optional<PointerBase> of(CXCursor expression) const;

 private:
  void collect(CXCursor cursor);
  void find(const Symbol& symbol, CXCursor value);
  void check_name(const Symbol& array) const;

  const ClangSource& source_;
  std::map<Symbol, CXCursor> pointers_;              // their declarations
  std::vector<std::pair<Symbol, CXCursor>> values_;  // their assigned values
  std::map<Symbol, PointerBase> bases_;
  std::vector<Symbol> names_;  // variables that the function declares
};

/// The type of what `from` points to, which may be an array.
CXTypeKind element_kind(CXCursor from);
/// To numbers that a stage has.
bool is_pointer(CXCursor cursor);
/// As is_pointer(), or an array, which becomes a pointer. Without what the compiler converts.
bool has_pointer_type(CXCursor cursor);

}  // namespace tandem::generate
