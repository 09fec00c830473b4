// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "files/own_folder.h"

namespace tandem {

/// Compiled programs on disk, for later processes: code of stage files and binaries of OpenCL
/// programs, a file for each key in the folder `programs` of the cache. Entries are loaded as code.
/// So the folder is an OwnFolder, and an entry is a regular file of this user alone.
///
/// The cache never throws. An entry that is longer than 64 MiB, of another key or of anybody else
/// is not there, a damaged one is removed, and what cannot be written is not kept. Of more than 512
/// MiB the least recently used entries go.
class ProgramCache {
 public:
  /// Opens the folder, and makes it if it does not exist.
  ProgramCache() noexcept;

  /// Why nothing is kept: "the folder /tmp/tandem belongs to another user". Empty if it is.
  const std::string& problem() const { return problem_; }
  const OwnFolder& folder() const { return folder_; }

  /// Empty if there is none. `key` names everything that the program depends on.
  std::string load(const std::string& key) const noexcept;
  /// In one step: readers see the old entry or the new one.
  void store(const std::string& key, const std::string& bytes) const noexcept;

  /// For the user: why this process keeps no programs, and what to do. Each text comes once, to
  /// whichever caller is first.
  static std::string take_notice();

 private:
  OwnFolder folder_;
  std::string problem_;
};

}  // namespace tandem
