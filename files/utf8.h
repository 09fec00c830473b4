// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tandem {

struct Utf8Character {
  std::size_t bytes = 0;  ///< 0: the text does not begin with UTF-8
  uint32_t code = 0;
};

/// The first character of a text that is not empty, in its shortest form; no surrogates (RFC 3629).
Utf8Character first_utf8(std::string_view text);

/// Well-formed UTF-8 without a zero byte: what GLib takes for a string.
bool is_utf8(std::string_view text);

}  // namespace tandem
