// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string_view>

namespace tandem {

/// Well-formed UTF-8 (Unicode, table 3-7) without a zero byte: what GLib takes for a string.
bool is_utf8(std::string_view text);

}  // namespace tandem
