// SPDX-License-Identifier: LGPL-2.1-or-later
#include <unistd.h>

#include <cstdlib>

#include "kernels/opencl/program_cache.h"
#include "tests/files/special_files.h"

namespace tandem::opencl {
namespace {

namespace fs = std::filesystem;
using Binary = std::vector<unsigned char>;

class CacheEntry : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tandem-entry-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("TANDEM_CACHE_DIR", folder_.c_str(), 1);
    program_cache::store(kKey, kBinary);
    ASSERT_EQ(program_cache::load(kKey), kBinary);
    entry_ = fs::directory_iterator(folder_)->path().string();
  }
  void TearDown() override {
    unsetenv("TANDEM_CACHE_DIR");
    fs::remove_all(folder_);
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  const std::string kKey = "a device\na driver\n";
  const Binary kBinary = {1, 0, 2, 255};
  fs::path folder_;
  std::string entry_;
};

TEST_F(CacheEntry, ThatIsNoFileIsNotThere) {
  for (const auto& [name, make] : test::special_files()) {
    fs::remove_all(entry_);
    make(entry_);
    EXPECT_EQ(program_cache::load(kKey), Binary()) << name;
    program_cache::store(kKey, kBinary);
    EXPECT_EQ(files(), 1) << name << ": a temporary file is left";
    // A folder stays, as it may hold what somebody needs; all else is replaced.
    const bool folder = fs::is_directory(entry_);
    EXPECT_EQ(program_cache::load(kKey), folder ? Binary() : kBinary) << name;
    EXPECT_EQ(folder, std::string(name).starts_with("folder"));
  }
}

TEST_F(CacheEntry, ThatMayNotBeReadIsNotThere) {
  fs::permissions(entry_, fs::perms::none);
  fs::permissions(folder_, fs::perms::all);
  test::as_another_user([&] {
    EXPECT_EQ(program_cache::load(kKey), Binary());
    program_cache::store(kKey, kBinary);
    EXPECT_EQ(program_cache::load(kKey), kBinary);
  });
}

// It is code, which would run as this user.
TEST_F(CacheEntry, OfAnotherUserIsNotThere) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::permissions(folder_, fs::perms::all);
  fs::permissions(entry_, fs::perms::all);
  test::as_another_user([&] { EXPECT_EQ(program_cache::load(kKey), Binary()); });
}

TEST_F(CacheEntry, ThatIsTooLongIsNotReadOrWritten) {
  test::make_long_file(entry_, std::uintmax_t{1} << 40);  // would not fit into any memory
  EXPECT_EQ(program_cache::load(kKey), Binary());
  program_cache::store(kKey, Binary(65 << 20));
  EXPECT_EQ(program_cache::load(kKey), Binary());
  EXPECT_EQ(files(), 1);
}

TEST_F(CacheEntry, OfAnotherKeyIsNotThere) {
  program_cache::store("another", {7});
  for (const auto& file : fs::directory_iterator(folder_))
    if (file.path() != entry_)
      fs::copy_file(file.path(), entry_, fs::copy_options::overwrite_existing);
  EXPECT_EQ(program_cache::load(kKey), Binary());
}

}  // namespace
}  // namespace tandem::opencl
