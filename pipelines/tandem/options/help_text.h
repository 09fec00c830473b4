// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>

namespace tandem {

/// A terminal is seldom narrower, and longer lines are hard to read on a wide one.
inline constexpr int kHelpColumns = 100;

/// `help` with lines of at most `columns` characters, broken at spaces. The rest of
/// a line that describes an option ("  --name=VALUE   text") stands under that text.
std::string wrap_help(std::string_view help, int columns = kHelpColumns);

}  // namespace tandem
