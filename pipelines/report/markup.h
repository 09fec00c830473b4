// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem {

/// The style sheet of pages: light, dark and on paper.
extern const char* const kReportStyle;

/// An en dash, for a value that is not known.
inline constexpr const char* kUnknown = "\u2013";

/// `text` for the content or an attribute of an XML element; control characters become spaces.
std::string escaped(std::string_view text);

/// With `digits` digits after the point.
std::string fixed(double value, int digits);

/// Three significant digits, and every digit before the point: `6296, 402, 16.5, 0.0123`.
std::string significant(double value);

/// kUnknown without a value.
std::string significant(std::optional<double> value);

/// 0.987 as "98.7%"; kUnknown without a value.
std::string percent(std::optional<double> ratio);

/// 0.022 as "+2.2%"; kUnknown without a value.
std::string signed_percent(std::optional<double> ratio);

/// <tag class="css_class">content</tag>; the content is markup, so escape text before.
std::string element(std::string_view tag, std::string_view content,
                    std::string_view css_class = "");

}  // namespace tandem
