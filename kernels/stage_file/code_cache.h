// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// Compiled code between processes, in the folder `stages` of the cache. What is loaded runs with
/// the user's rights: a folder or file that others own or may write is not used.
class CodeCache {
 public:
  CodeCache();

  /// Why there is none: "the cache folder ... belongs to another user". Empty when there is one.
  const std::string& problem() const { return problem_; }
  const std::string& folder() const { return folder_; }  ///< empty when there is none

  std::string load(const std::string& key) const;  ///< empty: nothing that is whole
  void store(const std::string& key, const std::string& bytes) const;

 private:
  std::string folder_, problem_;
};

}  // namespace tandem
