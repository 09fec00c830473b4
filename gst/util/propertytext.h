// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib-object.h>

#include <string>

namespace tandem {

/// Returns the range of a property, such as "0..8" or "true or false". Empty: its type has none.
inline std::string range_text(const GParamSpec* spec) {
  const auto text = [](double value) {
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    return std::string(g_ascii_formatd(digits, sizeof digits, "%.10g", value));
  };
  const auto range = [&](auto* bounds) {
    return text(static_cast<double>(bounds->minimum)) + ".." +
           text(static_cast<double>(bounds->maximum));
  };
  if (G_IS_PARAM_SPEC_INT(spec)) return range(G_PARAM_SPEC_INT(spec));
  if (G_IS_PARAM_SPEC_UINT(spec)) return range(G_PARAM_SPEC_UINT(spec));
  if (G_IS_PARAM_SPEC_UINT64(spec)) return range(G_PARAM_SPEC_UINT64(spec));
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) return range(G_PARAM_SPEC_DOUBLE(spec));
  return G_IS_PARAM_SPEC_BOOLEAN(spec) ? "true or false" : "";
}

}  // namespace tandem
