// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// Throws Failure when no file can be written at `path`, UsageError for standard output (TextOutput
/// is for text that may go there) and for a file that another option writes.
void check_output_file(const std::string& option, const std::string& path);

/// Throws Failure, with the command that makes it, when there is no folder at `path`.
void check_output_folder(const std::string& option, const std::string& path);

/// Throws UsageError when `path` is a FIFO and its kind of video cannot be written without going
/// back in the file.
void check_can_stream(const std::string& option, const std::string& path);

}  // namespace tandem
