// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace tandem {

/// The number that the whole of `text` spells, without spaces, a plus sign or the locale; none if
/// there is more text, no digit, or a value beyond `Number`. A floating number may be infinite or
/// not a number. `how` is the base of an integer, or the std::chars_format of a floating number.
template <typename Number, typename... How>
std::optional<Number> parse_number(std::string_view text, How... how) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, how...);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

}  // namespace tandem
