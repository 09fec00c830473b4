// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// The producer of a tensor of this name, for the message when it is missing: one of our elements,
/// or a stage file with such a WRITE. Lives as long as the process.
const char* maker_of(const std::string& tensor);

/// The setting that gives the tensor of this name that many rows, as ": set element
/// property=value"; empty: no property does.
std::string rows_setting(const std::string& tensor, int rows);

}  // namespace tandem
