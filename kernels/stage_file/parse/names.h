// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Why `name` cannot be the name of a tensor or parameter in code; empty when it can.
std::string problem_of_name(std::string_view name);

/// A word of C: a name, a number's rest or a single character, with its place in the text.
struct CodeWord {
  std::string_view text;
  std::size_t at = 0;
};

/// The words of C code without comments, strings and the lines of the preprocessor's directives.
/// They are parts of `code`, which has to outlive them.
std::vector<CodeWord> words_of(std::string_view code);
std::vector<CodeWord> words_of(const std::string&& code) = delete;
/// Whether the code has this name.
bool mentions(std::string_view code, std::string_view name);
/// Whether the code's loops go from a number to a number, all together in 256 passes or fewer.
bool has_short_loops(std::string_view code);

}  // namespace tandem
