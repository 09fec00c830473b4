// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// The missing share of the file at `uri`, in a sentence; empty for a complete file, for one of
/// unknown size, and for any other URI.
std::string truncation_text(const std::string& uri);

}  // namespace tandem
