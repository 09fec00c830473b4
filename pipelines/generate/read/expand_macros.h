// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/generate/loop_program.h"

namespace tandem::generate {

/// C code without the macros of its file: libclang gives all parts of a macro's text one place.
struct ExpandedCode {
  /// The text from `at` on, to the next piece.
  struct Piece {
    std::size_t at = 0, from = 0;
    bool is_copied = true;  ///< else the whole piece replaces the text at `from`
  };

  std::string text;
  std::vector<Piece> pieces;         ///< in order; the first one is at 0
  std::vector<NamedNumber> numbers;  ///< macros that are numbers, in order

  /// The place in the original text of a place in `text`.
  std::size_t source(std::size_t at) const;
};

/// `definitions`: the macros of the file, each from its name to its end. Lines keep their numbers.
/// Throws Refusal for a macro that is used and that cannot be replaced.
ExpandedCode expand_macros(const std::string& text, const std::string& path,
                           const std::vector<Span>& definitions);

/// Other text for a part of the code; an empty part: text in front of what is there.
struct Edit {
  Span span;
  std::string text;
};

/// Parts do not overlap. Several at one place keep their order.
ExpandedCode edited(const ExpandedCode& code, std::vector<Edit> edits);

}  // namespace tandem::generate
