// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem {

/// A text of others, as a terminal may show it in a line: characters that control a terminal, that
/// turn the direction of writing, and bytes that are not UTF-8 become "\x1b" and the like; behind
/// `most_bytes` the rest is left out.
std::string terminal_text(std::string_view text, std::size_t most_bytes = 500);

}  // namespace tandem
