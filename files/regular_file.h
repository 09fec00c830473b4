// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>

namespace tandem {

struct RegularFile {
  std::string bytes;
  std::string problem;  ///< empty when the file was read: "cannot be opened: Permission denied"
};

enum class Links { kFollow, kRefuse };
enum class Owner { kAnybody, kThisUser };

/// Reads a whole file of at most `most_bytes`. Never waits and never reads more: folders, FIFOs,
/// sockets and devices are a problem, as is a longer file or one of a user who is not wanted.
RegularFile read_regular_file(const std::string& path, std::size_t most_bytes,
                              Links links = Links::kFollow, Owner owner = Owner::kAnybody);

}  // namespace tandem
