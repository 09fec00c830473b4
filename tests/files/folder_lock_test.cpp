// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "files/file_lock.h"

namespace tandem::test {
namespace {

using namespace std::chrono_literals;

std::string folder() {
  const std::string path = testing::TempDir() + "/folder_lock_" + std::to_string(getpid());
  std::filesystem::create_directories(path);
  return path;
}

TEST(FolderLock, IsHeldByOneUntilItGoes) {
  const std::string path = folder();
  {
    const FolderLock first(path, 0ms);
    EXPECT_EQ(first.problem(), "");
    EXPECT_EQ(FolderLock(path, 20ms).problem(), "cannot be locked: another process holds it");
  }
  EXPECT_EQ(FolderLock(path, 0ms).problem(), "");
  EXPECT_TRUE(std::filesystem::is_empty(path));
  std::filesystem::remove_all(path);
}

TEST(FolderLock, GoesWithItsProcess) {
  const std::string path = folder();
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock held(path, 0ms);
    _exit(held.problem().empty() ? 0 : 1);  // without its destructor
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(FolderLock(path, 5s).problem(), "");
  std::filesystem::remove_all(path);
}

TEST(FolderLock, OfNoFolderIsAProblem) {
  EXPECT_NE(FolderLock("/nowhere/at/all", 0ms).problem(), "");
}

}  // namespace
}  // namespace tandem::test
