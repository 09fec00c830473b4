// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <string>

namespace tandem {

/// The text that printf() would print.
__attribute__((format(printf, 1, 2))) inline std::string formatted(const char* format, ...) {
  va_list measured, written;
  va_start(measured, format);
  va_copy(written, measured);
  const int length = std::max(0, std::vsnprintf(nullptr, 0, format, measured));
  std::string text(static_cast<std::size_t>(length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, written);
  va_end(written);
  va_end(measured);
  return text;
}

}  // namespace tandem
