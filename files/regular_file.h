// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>

#include "files/file_handle.h"
#include "files/own_folder.h"

namespace tandem {

struct RegularFile {
  std::string bytes;
  std::string problem;  ///< empty when the file was read: "cannot be opened: Permission denied"
};

enum class Links { kFollow, kRefuse };
/// kThisUserAlone: of this user, under one name, and nobody else may write it.
enum class Owner { kAnybody, kThisUser, kThisUserAlone };

inline constexpr const char* kNotRegularFile = "is not a regular file";

struct OpenedFile {
  FileHandle file;
  std::string problem;  ///< empty when it is open; kNotRegularFile where something else is
};

/// Opens a file for reading. Never waits: what is no regular file is found on the handle, so that
/// nothing else can take the file's place in between.
OpenedFile open_regular_file(const std::string& path, Links links = Links::kFollow);

/// Reads a whole file of at most `most_bytes`. Never waits and never reads more: folders, FIFOs,
/// sockets and devices are a problem, as is a longer file or one of a user who is not wanted.
RegularFile read_regular_file(const std::string& path, std::size_t most_bytes,
                              Links links = Links::kFollow, Owner owner = Owner::kAnybody);

/// The same of a file in an open folder. No link is followed.
RegularFile read_regular_file(const OwnFolder& folder, const std::string& name,
                              std::size_t most_bytes, Owner owner);

}  // namespace tandem
