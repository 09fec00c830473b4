// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// Makes an empty folder that no other process has, for this user alone, where TMPDIR says, else in
/// /tmp. Throws std::runtime_error that names the folder and says what to do.
std::string make_temporary_folder(const std::string& name);

/// The same in this folder.
std::string make_folder_in(const std::string& folder, const std::string& name);

}  // namespace tandem
