// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace tandem {

struct RegularFile {
  std::string bytes;
  std::string problem;  ///< empty when the file was read: "cannot be opened: Permission denied"
};

enum class Links { kFollow, kRefuse };
enum class Owner { kAnybody, kThisUser };

/// An open handle of a regular file, which it closes.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }  ///< below 0: there is none

 private:
  int number_ = -1;
};

struct OpenedFile {
  OpenFile file;
  std::string problem;  ///< empty when it is open: "is not a regular file"
};

/// Opens a file for reading. Never waits: what is no regular file is found on the handle, so that
/// nothing else can take the file's place in between.
OpenedFile open_regular_file(const std::string& path, Links links = Links::kFollow);

/// Reads a whole file of at most `most_bytes`. Never waits and never reads more: folders, FIFOs,
/// sockets and devices are a problem, as is a longer file or one of a user who is not wanted.
RegularFile read_regular_file(const std::string& path, std::size_t most_bytes,
                              Links links = Links::kFollow, Owner owner = Owner::kAnybody);

}  // namespace tandem
