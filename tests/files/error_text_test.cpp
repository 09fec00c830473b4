// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/error_text.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

#include "files/temporary_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

TEST(ErrorText, SaysWhatAndNotWhere) {
  EXPECT_EQ(error_text(std::runtime_error("no such stage")), "no such stage");
  EXPECT_EQ(error_text(std::bad_alloc()).find("there is not enough memory: "), 0u);
  EXPECT_EQ(error_text(std::bad_array_new_length()).find("there is not enough memory: "), 0u);
  const auto denied = std::make_error_code(std::errc::permission_denied);
  EXPECT_EQ(error_text(fs::filesystem_error("status", "/a/b", denied)),
            "'/a/b': Permission denied");
  EXPECT_EQ(error_text(fs::filesystem_error("current_path", denied)), "Permission denied");
}

class TemporaryFolder : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = getenv("TMPDIR")) before_ = before;
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    if (!before_.empty()) setenv("TMPDIR", before_.c_str(), 1);
  }
  std::string before_;
};

TEST_F(TemporaryFolder, IsNewAndEmptyAndWhereTmpdirSays) {
  const std::string outer = make_temporary_folder("outer");
  setenv("TMPDIR", outer.c_str(), 1);
  const std::string first = make_temporary_folder("inner"), second = make_temporary_folder("inner");
  EXPECT_NE(first, second);
  EXPECT_EQ(fs::path(first).parent_path(), outer);
  EXPECT_TRUE(fs::is_empty(first));
  EXPECT_EQ(fs::status(first).permissions(), fs::perms::owner_all);
  fs::remove_all(outer);
}

TEST_F(TemporaryFolder, ABadTmpdirIsNamed) {
  setenv("TMPDIR", "/nowhere", 1);
  try {
    make_temporary_folder("x");
    FAIL() << "there is no such folder";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "cannot create a folder in '/nowhere': No such file or directory; TMPDIR has to "
                 "name a folder that can be written");
  }
}

}  // namespace
}  // namespace tandem
