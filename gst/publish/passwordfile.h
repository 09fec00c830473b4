// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// The first line of a file. Throws std::runtime_error with the name of the file and without its
/// content.
std::string read_password_file(const std::string& path);

/// The advice about a file with a secret that other users may read; empty if only its owner may.
std::string exposure_of(const std::string& path);

}  // namespace tandem
