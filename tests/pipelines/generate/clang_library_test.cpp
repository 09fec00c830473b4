// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/clang_library.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tandem::generate {
namespace {

class NewestLibclang : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "tandem-libclang-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string install(int version) {
    const std::string number = std::to_string(version);
    const auto library = folder_ / ("llvm-" + number) / "lib" / ("libclang-" + number + ".so.1");
    std::filesystem::create_directories(library.parent_path());
    std::ofstream(library) << "a library";
    return library;
  }

  std::filesystem::path folder_;
};

TEST_F(NewestLibclang, IsTheOneWithTheHighestVersion) {
  EXPECT_EQ(newest_libclang(folder_), "");
  const std::string oldest = install(14);
  EXPECT_EQ(newest_libclang(folder_), oldest);
  const std::string newest = install(22);
  install(19);
  EXPECT_EQ(newest_libclang(folder_), newest);
}

TEST_F(NewestLibclang, IsNoneThatWasNotTried) {
  install(13);
  install(23);
  EXPECT_EQ(newest_libclang(folder_), "");
}

// Debian has folders of LLVM without libclang, for PoCL for instance.
TEST_F(NewestLibclang, SkipsFoldersWithoutTheLibrary) {
  const std::string old = install(14);
  std::filesystem::remove(install(19));
  EXPECT_EQ(newest_libclang(folder_), old);
}

}  // namespace
}  // namespace tandem::generate
