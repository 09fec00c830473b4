// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/regular_file.h"

#include "tests/files/special_files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class RegularFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tandem-file-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ / "file";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  std::string path_;
};

TEST_F(RegularFileTest, GivesAllBytesUpToTheBound) {
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 100000}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 7);
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    const RegularFile file = read_regular_file(path_, size);
    EXPECT_EQ(file.problem, "") << size;
    EXPECT_TRUE(file.bytes == bytes) << size;
    if (size > 0) {
      EXPECT_NE(read_regular_file(path_, size - 1).problem.find("longer than"), std::string::npos);
    }
  }
}

TEST_F(RegularFileTest, ReadsNothingElse) {
  for (const auto& [name, make] : test::special_files()) {
    make(path_);
    const RegularFile file = read_regular_file(path_, 1 << 20);
    EXPECT_EQ(file.problem, "is not a regular file") << name;
    EXPECT_EQ(file.bytes, "") << name;
    EXPECT_EQ(open_regular_file(path_).problem, "is not a regular file") << name;
    fs::remove_all(path_);
  }
}

TEST_F(RegularFileTest, OpensTheFileThatItChecked) {
  std::ofstream(path_) << "the first";
  const OpenedFile opened = open_regular_file(path_);
  ASSERT_EQ(opened.problem, "");
  fs::remove(path_);
  test::special_files()[2].make(path_);  // a FIFO in its place
  EXPECT_EQ(read_regular_file("/proc/self/fd/" + std::to_string(opened.file.number()), 99).bytes,
            "the first");
}

TEST_F(RegularFileTest, SaysWhyAFileCannotBeRead) {
  EXPECT_NE(read_regular_file(path_, 9).problem.find("No such file"), std::string::npos);
  EXPECT_NE(read_regular_file(path_ + "/x", 9).problem.find("cannot be opened"), std::string::npos);
  // A regular file whose first byte cannot be read: an I/O error.
  EXPECT_NE(read_regular_file("/proc/self/mem", 9).problem.find("cannot be read: "),
            std::string::npos);
  std::ofstream(path_) << "secret";
  fs::permissions(path_, fs::perms::none);
  fs::permissions(folder_, fs::perms::all);
  test::as_another_user([&] {
    EXPECT_NE(read_regular_file(path_, 9).problem.find("Permission denied"), std::string::npos);
  });
}

TEST_F(RegularFileTest, BoundsFilesWhoseSizeIsNotKnown) {
  EXPECT_NE(read_regular_file("/proc/self/maps", 100).problem.find("longer than 100"),
            std::string::npos);
}

TEST_F(RegularFileTest, FollowsLinksWhenAsked) {
  std::ofstream(folder_ / "target") << "x";
  fs::create_symlink(folder_ / "target", path_);
  EXPECT_EQ(read_regular_file(path_, 9).bytes, "x");
  EXPECT_EQ(read_regular_file(path_, 9, Links::kRefuse).problem, "is not a regular file");
}

TEST_F(RegularFileTest, ReadsThisUsersAloneWhenAsked) {
  std::ofstream(path_) << "x";
  fs::permissions(folder_, fs::perms::all);
  EXPECT_EQ(read_regular_file(path_, 9, Links::kRefuse, Owner::kThisUser).bytes, "x");
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  test::as_another_user([&] {
    EXPECT_EQ(read_regular_file(path_, 9, Links::kRefuse, Owner::kThisUser).problem,
              "belongs to another user");
    EXPECT_EQ(read_regular_file(path_, 9).bytes, "x");
  });
}

}  // namespace
}  // namespace tandem
