// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>

namespace tandem {

/// The first 33 bytes of a PNG file of that size: enough where the size alone is read.
inline std::string png_header(uint32_t width, uint32_t height) {
  const auto big_endian = [](uint32_t value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16),
                       static_cast<char>(value >> 8), static_cast<char>(value)};
  };
  return std::string("\x89PNG\r\n\x1a\n") + big_endian(13) + "IHDR" + big_endian(width) +
         big_endian(height) + std::string("\x08\x00\x00\x00\x00", 5) + big_endian(0);
}

}  // namespace tandem
