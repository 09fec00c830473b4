// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/cache_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace tandem {
namespace {

namespace fs = std::filesystem;

TEST(CacheFolder, ComesFromTheFirstVariableThatNamesOne) {
  std::string name = (fs::temp_directory_path() / "tandem-cache-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  setenv("HOME", name.c_str(), 1);
  setenv("XDG_CACHE_HOME", "relative", 1);  // which its specification forbids
  setenv("TANDEM_CACHE_DIR", "", 1);
  EXPECT_EQ(cache_path(), name + "/.cache/tandem");
  setenv("XDG_CACHE_HOME", (name + "/xdg").c_str(), 1);
  EXPECT_EQ(cache_path(), name + "/xdg/tandem");
  setenv("TANDEM_CACHE_DIR", (name + "/own").c_str(), 1);
  EXPECT_EQ(cache_path(), name + "/own");
  EXPECT_TRUE(fs::is_empty(name)) << "a path alone makes nothing";
  setenv("TANDEM_CACHE_DIR", "/proc/none", 1);
  EXPECT_EQ(cache_path(), "/proc/none");
  unsetenv("TANDEM_CACHE_DIR");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(cache_path(), "");
  fs::remove_all(name);
}

}  // namespace
}  // namespace tandem
