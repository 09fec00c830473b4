// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/terminal_text.h"

#include <array>
#include <cstdint>

namespace tandem {
namespace {

struct Character {
  std::size_t bytes = 0;  // 0: not UTF-8
  uint32_t code = 0;
};

// The shortest form alone, no halves of pairs: RFC 3629.
Character first_character(std::string_view text) {
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
  return code < kLeast[bytes] || code > 0x10ffff || is_half ? Character{} : Character{bytes, code};
}

bool is_shown(uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  const bool separates = code == 0x2028 || code == 0x2029;
  const bool turns = code == 0x61c || code == 0x200e || code == 0x200f ||
                     (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return !separates && !turns;
}

}  // namespace

std::string terminal_text(std::string_view text, std::size_t most_bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string safe;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (safe.size() + 4 * bytes > most_bytes) return safe + "...";
    if (character.bytes > 0 && is_shown(character.code)) {
      safe += text.substr(0, bytes);
    } else {
      for (const char c : text.substr(0, bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        safe += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      }
    }
    text.remove_prefix(bytes);
  }
  return safe;
}

}  // namespace tandem
