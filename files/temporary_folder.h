// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "files/own_folder.h"

namespace tandem {

/// Makes an empty folder that no other process has, for this user alone, where TMPDIR says, else in
/// /tmp. Throws std::runtime_error that names the folder and says what to do: others could put a
/// folder of theirs in its place, for example.
std::string make_temporary_folder(const std::string& name);

/// A new folder, for this user alone, that goes with the files in it.
class TemporaryFolder {
 public:
  /// In the folder `in`. If there can be none: as make_temporary_folder().
  explicit TemporaryFolder(const OwnFolder& in);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const OwnFolder& folder() const { return folder_; }

 private:
  OwnFolder folder_;
};

}  // namespace tandem
