// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/program_cache/program_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/files/special_files.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class ProgramCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tandem-programs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    use(folder_ / "cache");
    programs_ = folder_ / "cache" / "programs";
    store(kKey, kCode);
    ASSERT_EQ(load(kKey), kCode);
    entry_ = fs::directory_iterator(programs_)->path().string();
  }
  void TearDown() override {
    unsetenv("TANDEM_CACHE_DIR");
    fs::remove_all(folder_);
  }
  static void use(const fs::path& cache) { setenv("TANDEM_CACHE_DIR", cache.c_str(), 1); }
  static void store(const std::string& key, const std::string& code) {
    ProgramCache().store(key, code);
  }
  static std::string load(const std::string& key) { return ProgramCache().load(key); }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(programs_), fs::directory_iterator());
  }
  void expect_unused(const std::string& problem) {
    ProgramCache::take_notice();
    const ProgramCache cache;
    EXPECT_EQ(cache.problem(), problem);
    cache.store("another", "code");
    EXPECT_EQ(cache.load(kKey), "");
    EXPECT_EQ(cache.load("another"), "");
    EXPECT_EQ(ProgramCache::take_notice(),
              "Compiled programs are not cached, so each start compiles them again: " + problem +
                  ". TANDEM_CACHE_DIR can name another folder.");
    EXPECT_EQ(ProgramCache().problem(), problem);
    EXPECT_EQ(ProgramCache::take_notice(), "") << "it is said once";
  }

  const std::string kKey = "a device\na driver\n", kCode{"\1\0\2\377", 4};
  fs::path folder_, programs_;
  std::string entry_;
};

TEST_F(ProgramCacheTest, KeepsProgramsForThisUserAlone) {
  EXPECT_EQ(load("another"), "");
  struct stat status;
  for (const fs::path& path : {folder_ / "cache", programs_}) {
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700U);
  }
  ASSERT_EQ(stat(entry_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(ProgramCache::take_notice(), "");
}

TEST_F(ProgramCacheTest, AFolderThatOthersCanWriteIsNotUsed) {
  for (const fs::path& path : {programs_, folder_ / "cache", folder_}) {
    chmod(path.c_str(), 0777);
    expect_unused("others can write into the folder " + path.string() + " (chmod go-w " +
                  path.string() + ")");
    chmod(path.c_str(), 0700);
  }
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(load(kKey), kCode);
}

TEST_F(ProgramCacheTest, AFolderOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  for (const fs::path& path : {programs_, folder_ / "cache", folder_}) {
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    expect_unused("the folder " + path.string() + " belongs to another user");
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
}

TEST_F(ProgramCacheTest, WithoutAFolderItWorks) {
  fs::rename(programs_, folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", programs_);
  expect_unused(programs_.string() + " is not a folder");
  std::ofstream(folder_ / "file") << "no folder";
  use(folder_ / "file");
  expect_unused((folder_ / "file").string() + " is not a folder");
  use("/proc/none");
  expect_unused("the folder /proc/none cannot be created: No such file or directory");
}

TEST_F(ProgramCacheTest, AnEntryThatIsNoFileIsNotThere) {
  for (const auto& [name, make] : test::special_files()) {
    fs::remove_all(entry_);
    make(entry_);
    EXPECT_EQ(load(kKey), "") << name;
    store(kKey, kCode);
    EXPECT_EQ(files(), 1) << name << ": a temporary file is left";
    // A folder stays, as it may hold what somebody needs; all else is replaced.
    const bool folder = fs::is_directory(entry_);
    EXPECT_EQ(load(kKey), folder ? "" : kCode) << name;
    EXPECT_EQ(folder, std::string(name).starts_with("folder"));
  }
}

TEST_F(ProgramCacheTest, AnEntryThatMayNotBeReadIsNotThere) {
  if (geteuid() != 0) fs::permissions(entry_, fs::perms::none);
  if (geteuid() == 0) {
    for (const fs::path& path : {folder_, folder_ / "cache", programs_, fs::path(entry_)})
      ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    fs::permissions(entry_, fs::perms::none);
  }
  test::as_another_user([&] {
    EXPECT_EQ(load(kKey), "");
    store(kKey, kCode);
    EXPECT_EQ(load(kKey), kCode);
  });
}

// It is code, which would run as this user.
TEST_F(ProgramCacheTest, AnEntryThatOthersCanChangeIsNotThere) {
  fs::permissions(entry_, fs::perms::all);
  EXPECT_EQ(load(kKey), "");
  fs::permissions(entry_, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(load(kKey), kCode);
  fs::create_hard_link(entry_, folder_ / "another name");
  EXPECT_EQ(load(kKey), "");
  fs::remove(folder_ / "another name");
  EXPECT_EQ(load(kKey), kCode);
  if (geteuid() != 0) GTEST_SKIP() << "the rest needs root";
  ASSERT_EQ(chown(entry_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(load(kKey), "");
}

TEST_F(ProgramCacheTest, ADamagedEntryIsRemoved) {
  fs::resize_file(entry_, 20);
  EXPECT_EQ(load(kKey), "");
  EXPECT_FALSE(fs::exists(entry_));
  store(kKey, kCode);
  test::write_with_checksum(entry_, "tandem program 1\n" + kKey + '\0' + kCode + "12345678");
  EXPECT_EQ(load(kKey), "") << "of another version";
  EXPECT_EQ(files(), 0);
}

TEST_F(ProgramCacheTest, AnEntryThatIsTooLongIsNotReadOrWritten) {
  test::make_long_file(entry_, std::uintmax_t{1} << 40);  // would not fit into any memory
  EXPECT_EQ(load(kKey), "");
  store(kKey, std::string(65 << 20, 'x'));
  EXPECT_EQ(load(kKey), "");
  EXPECT_EQ(files(), 1);
}

TEST_F(ProgramCacheTest, AnEntryOfAnotherKeyIsNotThere) {
  store("another", "code");
  for (const auto& file : fs::directory_iterator(programs_))
    if (file.path() != entry_)
      fs::copy_file(file.path(), entry_, fs::copy_options::overwrite_existing);
  EXPECT_EQ(load(kKey), "");
}

TEST_F(ProgramCacheTest, TheLeastRecentlyUsedGoesBeyond512Mebibytes) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const char* name : {"1.bin", "2.bin"}) {
    test::make_long_file(programs_ / name, 300u << 20);
    fs::last_write_time(programs_ / name, old + std::chrono::minutes(name[0] - '0'));
  }
  fs::last_write_time(entry_, old);
  EXPECT_EQ(load(kKey), kCode) << "which is a use of it";
  store("another", "code");
  EXPECT_FALSE(fs::exists(programs_ / "1.bin"));
  EXPECT_TRUE(fs::exists(programs_ / "2.bin"));
  EXPECT_EQ(load(kKey), kCode);
  EXPECT_EQ(load("another"), "code");
}

TEST_F(ProgramCacheTest, WhatWasNeverFinishedGoes) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24);
  const fs::path left = programs_ / ".unfinished-1", meanwhile = programs_ / ".unfinished-2";
  for (const fs::path& path : {left, meanwhile}) {
    fs::create_directory(path);
    std::ofstream(path / "stage.c") << "int";
  }
  fs::last_write_time(left, old);
  store("another", "code");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(meanwhile)) << "another process may be at it";
}

}  // namespace
}  // namespace tandem
