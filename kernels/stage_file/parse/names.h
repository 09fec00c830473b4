// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The reason why `name` cannot be a tensor's or parameter's name in code; empty: it can.
std::string problem_of_name(std::string_view name);

/// A word of C: a name, a part of a number or a single character, with its offset in the text.
struct CodeWord {
  std::string_view text;
  std::size_t at = 0;
};

/// The words of C code without comments, strings and preprocessor lines. They point into `code`,
/// which has to outlive them.
std::vector<CodeWord> words_of(std::string_view code);
std::vector<CodeWord> words_of(const std::string&& code) = delete;
/// Whether the code contains this name.
bool mentions(std::string_view code, std::string_view name);
/// Whether the code's loops have constant bounds and 256 passes or fewer in all.
bool has_short_loops(std::string_view code);

}  // namespace tandem
