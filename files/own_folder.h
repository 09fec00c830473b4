// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "files/file_handle.h"

namespace tandem {

/// An open folder of this user in which nobody else can make, rename or remove a file. Files
/// in it are reached by its handle: it stays the folder that was checked, whatever its path names.
///
/// - The folder belongs to this user, and nobody else may write into it.
/// - Folders above belong to this user or to root. Nobody else may write into them, unless they are
///   sticky as /tmp is. Others could choose otherwise which of this user's folders the path names:
///   one with files that came from a stranger, for example. The sticky bit lets others make files
///   beside ours, but not rename or remove ours. A folder that they made first is theirs.
/// - Links above belong to this user or to root. In the folder itself no link is followed.
///
/// Root could do all that anyway. A group counts as others, unless it is this user's private group.
class OwnFolder {
 public:
  /// kMake makes what is not there, with mode 0700.
  enum class Missing { kStays, kMake };

  OwnFolder() = default;
  OwnFolder(const std::string& path, Missing missing);
  OwnFolder folder(const std::string& name, Missing missing) const;

  explicit operator bool() const { return static_cast<bool>(handle_); }
  int handle() const { return handle_.number(); }
  /// For messages: it may name another folder meanwhile.
  const std::string& path() const { return path_; }
  /// "the folder /tmp/tandem belongs to another user"; empty if it is open or does not exist.
  const std::string& problem() const { return problem_; }

  std::vector<std::string> names() const;  ///< of everything in it
  /// Removes a file, or a folder of this user with the files in it. Errors are ignored.
  void remove(const std::string& name) const;

 private:
  std::string path_, problem_;
  FileHandle handle_;
};

/// Why others could rename or remove what this user makes in the folder, by the rule for folders
/// above. Empty if they cannot, or if there is no such folder.
std::string problem_above(const std::string& folder);

}  // namespace tandem
