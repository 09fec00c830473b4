// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace tandem {

/// 64-bit FNV-1a: tells names and damage apart, no protection against intent.
constexpr uint64_t hash_of(std::string_view bytes) {
  uint64_t value = 0xcbf29ce484222325u;
  for (const char byte : bytes) value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return value;
}

}  // namespace tandem
