// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem {

/// A text from outside, made safe for one line of a terminal. Characters that control a terminal or
/// turn the direction of writing, and bytes that are not UTF-8, become escapes such as "\x1b". The
/// text behind `most_bytes` is left out.
std::string terminal_text(std::string_view text, std::size_t most_bytes = 500);

}  // namespace tandem
