// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace tandem {

/// Bytes that an AVI, MP4, MOV, Matroska or WebM file states and does not hold. 0 for a complete
/// file, for one that leaves its size open, and for any other kind.
uint64_t missing_bytes(std::istream& file);

/// Which share of the file at `uri` is missing, in a sentence; empty: none, or it is no file.
std::string truncation_text(const std::string& uri);

}  // namespace tandem
