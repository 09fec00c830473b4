// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/pipelines/command.h"

namespace tandem::test {
namespace {

class CheckStage : public testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// What the command says of a file with these directives and this body of MAP.
  CommandResult check(const std::string& directives, const std::string& body) {
    const std::string path = folder_ + "/own.cl";
    write_file(path, "//!STAGE own\n" + directives + "//!MAP\n" + body + "\n");
    return run_tandem({"check-stage", path});
  }

  std::string folder_;
};

TEST_F(CheckStage, ExamplesAreRight) {
  for (const char* name : {"sobel", "pyramid", "histogram", "background", "hysteresis"}) {
    const CommandResult result = run_tandem(
        {"check-stage", std::string(std::getenv("TANDEM_SHIPPED")) + "/stages/" + name + ".cl"});
    EXPECT_EQ(result.status, 0) << result.output << result.errors;
    EXPECT_NE(result.output.find("one core"), std::string::npos);
  }
}

TEST_F(CheckStage, ANewStageIsRight) {
  ASSERT_EQ(run_tandem({"new-stage", "brighter", "--folder", folder_}).status, 0);
  EXPECT_EQ(run_tandem({"check-stage", folder_ + "/brighter.cl"}).status, 0);
  EXPECT_EQ(run_tandem({"new-stage", "brighter", "--folder", folder_}).status, 1)
      << "a file that is there stays";
  EXPECT_EQ(run_tandem({"new-stage", "1st", "--folder", folder_}).status, 2);
}

TEST_F(CheckStage, ABadFolderForTemporaryFilesIsNamed) {
  const std::string nowhere = folder_ + "/nowhere";
  write_file(folder_ + "/file", "");  // a folder cannot be made where a file is
  setenv("TANDEM_CACHE_DIR", (folder_ + "/file").c_str(), 1);
  setenv("TEST_TMPDIR", folder_.c_str(), 1);  // GoogleTest's own
  setenv("TMPDIR", nowhere.c_str(), 1);
  const CommandResult result = check("//!READ luma\n//!WRITE luma\n", "luma = luma(0, 0);");
  unsetenv("TANDEM_CACHE_DIR");
  unsetenv("TMPDIR");
  unsetenv("TEST_TMPDIR");
  const std::string all = result.output + result.errors;
  EXPECT_EQ(all.find("filesystem error"), std::string::npos) << all;
  EXPECT_NE(
      all.find("no folder can be made in '" + nowhere + "': No such file or directory; TMPDIR"),
      std::string::npos)
      << all;
}

TEST_F(CheckStage, FindsAHaloThatIsTooSmall) {
  const CommandResult result =
      check("//!READ luma halo=1\n//!WRITE to uint8\n", "to = luma(0, -2);");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("'luma' is read 2 away, and its halo is 1"), std::string::npos)
      << result.output;
}

TEST_F(CheckStage, FindsAnOutputThatIsNotAlwaysWritten) {
  const CommandResult result =
      check("//!READ luma\n//!WRITE to uint8\n", "if (luma(0, 0) > 128) to = 1;");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("an output is not written: 'to'"), std::string::npos)
      << result.output;
}

TEST_F(CheckStage, SaysWhereCodeIsWrong) {
  const CommandResult result = check("//!READ luma\n//!WRITE to uint8\n", "to = lumen(0, 0);");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find("own.cl:5:6"), std::string::npos) << result.errors;
}

TEST_F(CheckStage, NamesTheLineOfAMissingSemicolon) {
  const std::string directives = "//!READ luma\n//!WRITE to uint8\n";
  CommandResult result = check(directives, "to = 1;\nto = luma(0, 0)  // the last line\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find("own.cl:6:"), std::string::npos) << result.errors;
  result = check("constant float k[2] = {1, 2}\n" + directives, "to = k[1];");
  EXPECT_NE(result.errors.find("own.cl:2:"), std::string::npos) << result.errors;
  write_file(folder_ + "/own.cl",
             "//!STAGE own\n//!READ luma\n//!WRITE sum int32 shape=1\n//!REDUCE\nsum[0] += 1;\n"
             "//!COMBINE\nsum[0] += sum_other[0]\n");
  result = run_tandem({"check-stage", folder_ + "/own.cl"});
  EXPECT_NE(result.errors.find("own.cl:7:"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  return RUN_ALL_TESTS();
}
