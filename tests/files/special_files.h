// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "files/hash.h"

/// What may lie where a file is expected. Each is made at a path at which nothing is.
namespace tandem::test {

struct SpecialFile {
  const char* name;
  std::function<void(const std::string& path)> make;
};

inline void make_socket(const std::string& path) {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << path;
  close(listener);  // the entry stays
}

/// They are neither read nor waited for.
inline const std::vector<SpecialFile>& special_files() {
  static const std::vector<SpecialFile> all = {
      {"folder", [](const std::string& path) { std::filesystem::create_directory(path); }},
      {"folder with a file",
       [](const std::string& path) {
         std::filesystem::create_directory(path);
         std::ofstream(path + "/file") << "x";
       }},
      {"FIFO", [](const std::string& path) { EXPECT_EQ(mkfifo(path.c_str(), 0600), 0); }},
      {"socket", make_socket},
      {"endless device",
       [](const std::string& path) { std::filesystem::create_symlink("/dev/zero", path); }},
  };
  return all;
}

/// A file of that length that takes no room on the disk.
inline void make_long_file(const std::string& path, std::uintmax_t bytes) {
  std::ofstream(path).close();
  std::filesystem::resize_file(path, bytes);
}

/// Writes `bytes`, whose last eight are replaced by the checksum of those before: a model or a
/// cache entry that was changed but not damaged.
inline void write_with_checksum(const std::string& path, std::string bytes) {
  bytes.resize(bytes.size() - 8);
  const uint64_t hash = hash_of(bytes);
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(hash >> (8 * i));
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Runs `call` as a user who may not read a file of mode 0: root may read everything.
inline void as_another_user(const std::function<void()>& call) {
  constexpr uid_t kNobody = 65534;
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_EQ(seteuid(kNobody), 0);
  }
  call();
  if (root) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

}  // namespace tandem::test
