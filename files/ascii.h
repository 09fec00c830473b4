// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <charconv>
#include <string>
#include <string_view>

/// Letters and numbers as the C locale has them. The functions of <cctype> and <cstdlib> follow the
/// locale of the host. In Turkish, 'I' has no lower case of one byte. In German, a number ends at
/// its point.
namespace tandem {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_ascii_alnum(char c) { return is_ascii_alpha(c) || is_ascii_digit(c); }
constexpr bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

/// The number that `text` begins with; 0 without one.
inline double leading_number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// `value` with this many significant digits, at most 17.
inline double with_digits(double value, int digits) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
  return leading_number({text, end});
}

}  // namespace tandem
