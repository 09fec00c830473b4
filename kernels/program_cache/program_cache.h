// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "files/own_folder.h"

namespace tandem {

/// Compiled programs on disk, for later processes: code of stage files and binaries of OpenCL
/// programs, a file for each key in the folder `programs` of the cache. Entries are loaded as code.
/// So the folder is an OwnFolder, and an entry is a regular file of this user alone.
///
/// The cache never throws. An entry is ignored if it is longer than 64 MiB, has another key or
/// belongs to another user. A damaged entry is removed, and a program that cannot be written is not
/// cached. Beyond 512 MiB the least recently used entries are removed.
class ProgramCache {
 public:
  /// Opens the folder, and makes it if it does not exist.
  ProgramCache() noexcept;

  /// The reason why nothing is cached: "the folder /tmp/tandem belongs to another user". Empty:
  /// programs are cached.
  const std::string& problem() const { return problem_; }
  const OwnFolder& folder() const { return folder_; }

  /// Empty if there is none. `key` names everything that the program depends on.
  std::string load(const std::string& key) const noexcept;
  /// In one step: readers see the old entry or the new one.
  void store(const std::string& key, const std::string& bytes) const noexcept;

  /// For the user: the reason why this process caches no programs, and what to do. Each text is
  /// returned once, to the first caller.
  static std::string take_notice();

 private:
  OwnFolder folder_;
  std::string problem_;
};

}  // namespace tandem
