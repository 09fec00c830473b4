// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/file_lock.h"

#include <sys/wait.h>

#include <csignal>
#include <optional>

#include "files/own_folder.h"
#include "tests/files/special_files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

class FileLockTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tandem-lock-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ / "lock";
    own_ = OwnFolder(folder_, OwnFolder::Missing::kStays);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
  std::string path_;
  OwnFolder own_;
};

TEST_F(FileLockTest, IsHeldByOneAtATime) {
  std::optional<FileLock> first(std::in_place, own_.handle(), "lock", milliseconds(0));
  EXPECT_EQ(first->problem(), "");
  EXPECT_EQ(FileLock(own_.handle(), "lock", milliseconds(5)).problem(),
            "cannot be locked: another process holds it");
  first.reset();
  EXPECT_EQ(FileLock(own_.handle(), "lock", milliseconds(0)).problem(), "");
}

TEST_F(FileLockTest, EndsWithItsProcess) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock(own_.handle(), "lock", milliseconds(0));
    if (write(ends[1], "h", 1) == 1) pause();
    _exit(1);
  }
  char held = 0;
  ASSERT_EQ(read(ends[0], &held, 1), 1);
  EXPECT_NE(FileLock(own_.handle(), "lock", milliseconds(0)).problem(), "");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(FileLock(own_.handle(), "lock", milliseconds(0)).problem(), "");
  close(ends[0]);
  close(ends[1]);
}

TEST_F(FileLockTest, NeedsARegularFile) {
  for (const auto& [name, make] : test::special_files()) {
    make(path_);
    EXPECT_NE(FileLock(own_.handle(), "lock", milliseconds(0)).problem(), "") << name;
    fs::remove_all(path_);
  }
  EXPECT_EQ(FileLock(own_.handle(), "none/lock", milliseconds(0)).problem(),
            "cannot be locked: No such file or directory");
}

}  // namespace
}  // namespace tandem
