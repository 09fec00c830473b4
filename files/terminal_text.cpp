// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/terminal_text.h"

#include "files/utf8.h"

namespace tandem {
namespace {

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
    const Utf8Character character = first_utf8(text);
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
