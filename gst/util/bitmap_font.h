// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace tandem {

/// A fixed-width font of 5x7 pixels for printable ASCII, drawn for legibility at its real size:
/// labels need no font file and no text library.
struct BitmapFont {
  static constexpr int kWidth = 5, kHeight = 7;
  static constexpr int kAdvance = kWidth + 1;  ///< pixels from one glyph to the next

  struct Glyph {
    const char* rows[kHeight];  ///< kWidth characters each; a blank is transparent
  };

  /// The glyph of the character at `utf8[at]`; moves `at` behind it. Characters outside of ASCII
  /// are one hollow box each, malformed ones too.
  static const Glyph& next_glyph(std::string_view utf8, std::size_t& at);
};

}  // namespace tandem
