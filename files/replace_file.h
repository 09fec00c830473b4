// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>

#include "files/own_folder.h"

namespace tandem {

/// Names of files that are not finished begin so.
inline constexpr std::string_view kUnfinishedPrefix = ".unfinished-";

/// One that no other process makes, but by chance.
std::string unfinished_name();

/// Writes all bytes to an open file. False: errno says why not.
bool write_all(int file, std::string_view bytes);

/// kYes waits until the disk has it: after a power cut there is the old file or the new one.
enum class Durable { kNo, kYes };

/// Puts `bytes` at `path` in one step, for the user alone (mode 0600): readers see the old file or
/// the new one, and so does who comes after a crash. Returns what went wrong, and nothing has
/// changed then: "cannot be written: No space left on device"; empty when it is done.
std::string replace_file(const std::string& path, std::string_view bytes, Durable durable);

/// The same in an open folder.
std::string replace_file(const OwnFolder& folder, const std::string& name, std::string_view bytes,
                         Durable durable);

}  // namespace tandem
