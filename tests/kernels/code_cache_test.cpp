// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/code_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kernels/stage_file/c_compiler.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class CodeCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "code_cache_" + std::to_string(getpid());
    fs::remove_all(folder_);
    setenv("TANDEM_CACHE_DIR", folder_.c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string stages() const { return folder_ + "/stages"; }

  std::string folder_;
};

TEST_F(CodeCacheTest, KeepsCodeForThisUserAlone) {
  const CodeCache cache;
  EXPECT_EQ(cache.problem(), "");
  cache.store("key", "code");
  EXPECT_EQ(cache.load("key"), "code");
  EXPECT_EQ(cache.load("another"), "");
  struct stat status;
  ASSERT_EQ(stat(stages().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(CodeCacheTest, LeavesAFolderThatIsOpenToOthers) {
  fs::create_directories(stages());
  chmod(stages().c_str(), 0777);
  const CodeCache cache;
  EXPECT_EQ(cache.problem(),
            "the folder " + stages() + " is open to other users (its mode is not 0700)");
  cache.store("key", "code");
  EXPECT_TRUE(fs::is_empty(stages()));
}

TEST_F(CodeCacheTest, LeavesAFolderOfAnotherUser) {
  fs::create_directories(stages());
  chmod(stages().c_str(), 0700);
  if (chown(stages().c_str(), 1234, 1234) != 0) GTEST_SKIP() << "needs root";
  EXPECT_EQ(CodeCache().problem(), "the folder " + stages() + " belongs to another user");
}

TEST_F(CodeCacheTest, LeavesALink) {
  fs::create_directories(folder_ + "/elsewhere");
  fs::create_directory_symlink(folder_ + "/elsewhere", stages());
  EXPECT_EQ(CodeCache().problem(), "the folder " + stages() + " is no folder");
}

TEST_F(CodeCacheTest, TakesNoDamagedFile) {
  const CodeCache cache;
  cache.store("key", "some code");
  for (const auto& entry : fs::directory_iterator(stages())) fs::resize_file(entry, 20);
  EXPECT_EQ(cache.load("key"), "");
}

TEST_F(CodeCacheTest, CompilesOnceAndWithoutACacheToo) {
  const std::string source = "int f(void) { return 3; }\n";
  EXPECT_FALSE(compile_c(source, {}).cached);
  EXPECT_TRUE(compile_c(source, {}).cached);
  EXPECT_FALSE(compile_c(source, {.contract = true}).cached);
  chmod(stages().c_str(), 0755);
  const CompiledCode open = compile_c(source, {});
  EXPECT_FALSE(open.cached);
  EXPECT_NE(open.notice, "");
  EXPECT_TRUE(LoadedCode(open.bytes).find("f"));
}

}  // namespace
}  // namespace tandem
