// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/util/utf8.h"

#include <cstdint>

namespace tandem {
namespace {

/// How many bytes follow `first`, and the range of the first of them, which excludes overlong
/// forms, surrogates and what lies beyond U+10FFFF.
struct Sequence {
  int following;
  uint8_t least = 0x80, most = 0xbf;
};

Sequence sequence_of(uint8_t first) {
  if (first >= 0x01 && first <= 0x7f) return {0};
  if (first >= 0xc2 && first <= 0xdf) return {1};
  if (first == 0xe0) return {2, 0xa0, 0xbf};
  if (first == 0xed) return {2, 0x80, 0x9f};
  if (first >= 0xe1 && first <= 0xef) return {2};
  if (first == 0xf0) return {3, 0x90, 0xbf};
  if (first >= 0xf1 && first <= 0xf3) return {3};
  if (first == 0xf4) return {3, 0x80, 0x8f};
  return {-1};
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    Sequence sequence = sequence_of(static_cast<uint8_t>(text[at++]));
    if (sequence.following < 0) return false;
    for (; sequence.following > 0; --sequence.following) {
      if (at == text.size()) return false;
      const auto byte = static_cast<uint8_t>(text[at++]);
      if (byte < sequence.least || byte > sequence.most) return false;
      sequence.least = 0x80, sequence.most = 0xbf;
    }
  }
  return true;
}

}  // namespace tandem
