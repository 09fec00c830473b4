// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// Whether both paths name one file, whether it exists yet or not.
bool same_file(const std::string& path, const std::string& other);

/// Throws UsageError when writing `path`, which `option` names, would overwrite what is read from
/// `uri`; an empty one is no file.
void check_keeps_input(const std::string& option, const std::string& path, const std::string& uri);

}  // namespace tandem
