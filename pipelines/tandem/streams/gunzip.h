// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>

namespace tandem {

/// Whether a file's bytes begin as those of gzip do.
bool is_gzip(const std::string& bytes);
/// Uncompresses the bytes of a gzip file, to `most_bytes` at most. Throws std::runtime_error, to go
/// behind the file's name.
std::string gunzip(const std::string& bytes, std::size_t most_bytes);

}  // namespace tandem
