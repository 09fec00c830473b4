// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/markup.h"

#include <algorithm>
#include <cmath>

#include "pipelines/formatted.h"

namespace tandem {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

std::string fixed(double value, int digits) { return formatted("%.*f", digits, value); }

std::string significant(double value) {
  if (value == 0 || !std::isfinite(value)) return fixed(value, 0);
  const int before_point = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  if (before_point < -4 || before_point > 15) return formatted("%.2e", value);
  return fixed(value, std::max(0, 3 - before_point));
}

std::string significant(std::optional<double> value) {
  return value ? significant(*value) : kUnknown;
}

std::string percent(std::optional<double> ratio) {
  return ratio ? fixed(100 * *ratio, 1) + "%" : kUnknown;
}

std::string signed_percent(std::optional<double> ratio) {
  if (!ratio) return kUnknown;
  return (*ratio < 0 ? "\u2212" : "+") + fixed(std::fabs(100 * *ratio), 1) + "%";
}

std::string element(std::string_view tag, std::string_view content, std::string_view css_class) {
  std::string out = "<";
  out += tag;
  if (!css_class.empty()) out.append(" class=\"").append(css_class).append("\"");
  return out.append(">").append(content).append("</").append(tag).append(">");
}

}  // namespace tandem
