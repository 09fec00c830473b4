// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

/// Compiled programs on disk: a file for each device, driver and source, in cache_folder(). The
/// cache never fails, waits or throws: an entry that cannot be read, is damaged, belongs to another
/// key or to another user, is longer than 64 MiB or is no regular file is not there; what cannot be
/// written is not kept.
namespace tandem::opencl::program_cache {

/// The stored binary, empty when there is none. `key` names everything that it depends on.
std::vector<unsigned char> load(const std::string& key);

/// Stores it in one step: readers see the old file or the new one.
void store(const std::string& key, const std::vector<unsigned char>& binary);

}  // namespace tandem::opencl::program_cache
