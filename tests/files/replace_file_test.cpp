// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/replace_file.h"

#include <sys/resource.h>

#include <csignal>

#include "files/regular_file.h"
#include "tests/files/special_files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tandem-replace-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ / "file";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(ReplaceFile, PutsItThereForTheUserAlone) {
  for (const std::string bytes : {"one", "", "another"}) {
    EXPECT_EQ(replace_file(path_, bytes, Durable::kYes), "");
    EXPECT_EQ(read_regular_file(path_, 100).bytes, bytes);
    EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, LeavesTheOldOneWhereTheDiskIsFull) {
  ASSERT_EQ(replace_file(path_, "old", Durable::kYes), "");
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string problem = replace_file(path_, std::string(5000, 'x'), Durable::kYes);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(problem, "cannot be written: File too large");
  EXPECT_EQ(read_regular_file(path_, 100).bytes, "old");
  EXPECT_EQ(files(), 1) << "an unfinished file is left";
}

TEST_F(ReplaceFile, SaysWhyNot) {
  EXPECT_EQ(replace_file(folder_ / "none" / "file", "x", Durable::kNo),
            "cannot be written: No such file or directory");
  fs::create_directory(path_);
  EXPECT_EQ(replace_file(path_, "x", Durable::kNo), "cannot be written: Is a directory");
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace tandem
