// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/uri_scheme.h"

#include <algorithm>

#include "files/ascii.h"

namespace tandem {

bool is_uri_scheme(std::string_view text) {
  const auto belongs = [](char c) {
    return (c >= 'a' && c <= 'z') || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
  };
  return !text.empty() && is_ascii_alpha(text[0]) && std::ranges::all_of(text, belongs);
}

std::string uri_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == uri.npos) return {};
  std::string scheme = ascii_lower(uri.substr(0, colon));
  return is_uri_scheme(scheme) ? scheme : std::string();
}

}  // namespace tandem
