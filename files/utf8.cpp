// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/utf8.h"

#include <array>

namespace tandem {

Utf8Character first_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {1, byte(0)};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc0 || byte(0) >= 0xf8 || text.size() < bytes) return {};
  uint32_t code = byte(0) & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_half = code >= 0xd800 && code < 0xe000;
  return code < kLeast[bytes] || code > 0x10ffff || is_half ? Utf8Character{}
                                                            : Utf8Character{bytes, code};
}

bool is_utf8(std::string_view text) {
  for (Utf8Character character; !text.empty(); text.remove_prefix(character.bytes)) {
    character = first_utf8(text);
    if (character.bytes == 0 || character.code == 0) return false;
  }
  return true;
}

}  // namespace tandem
