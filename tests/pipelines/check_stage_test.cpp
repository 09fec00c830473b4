// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "pipelines/generate/loop_program.h"
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

// The documented value of an element that the code does not write is 0, on both sides.
TEST_F(CheckStage, AcceptsOutputsThatAreNotAlwaysWritten) {
  EXPECT_EQ(check("//!READ luma\n//!WRITE to uint8\n", "if (luma(0, 0) > 128) to = 1;").status, 0);
  EXPECT_EQ(check("//!READ luma\n//!WRITE a uint8\n//!WRITE b float32\n",
                  "a = luma(0, 0);\nif (luma(0, 0) > 128) b = 1.5f;")
                .status,
            0)
      << "bytes and floats are computed by other loops";
  EXPECT_EQ(check("//!READ luma\n//!WRITE mean float32 kept\n",
                  "if (luma(0, 0) > 128) mean = luma(0, 0);")
                .status,
            0);
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

TEST_F(CheckStage, CompilesAlone) {
  write_file(folder_ + "/own.cl",
             "//!STAGE own\n//!READ luma\n//!WRITE to uint8\n//!MAP\n"
             "if (luma(0, 0) > 128) to = 1;\n");
  const CommandResult result = run_tandem({"check-stage", "--compile-only", folder_ + "/own.cl"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("compiled for the cores"), std::string::npos) << result.output;
}

/// Stages that are made of loops.
class Generate : public CheckStage {
 protected:
  void SetUp() override {
    CheckStage::SetUp();
    if (!generate::can_read_loops()) GTEST_SKIP() << "needs libclang-dev when Tandem is built";
    write_file(folder_ + "/own.c",
               "void own(int n, const float a[n], float out[restrict n]) {\n"
               "#pragma omp parallel for\n  for (int i = 0; i < n; i++) out[i] = a[i];\n}\n");
  }
  CommandResult make() {
    return run_tandem({"generate", folder_ + "/own.c", "-o", folder_ + "/made.cl"});
  }
};

TEST_F(Generate, SaysWhatItCompiledFor) {
  const CommandResult result = make();
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("/made.cl: compiled for the cores"), std::string::npos)
      << result.output;
}

TEST_F(Generate, WritesNothingThatDoesNotCompile) {
  const std::string compiler = folder_ + "/cc";
  write_file(compiler,
             "#!/bin/sh\nif [ $1 = --version ]; then echo own 1; exit; fi\n"
             "echo '" +
                 folder_ + "/x: note'\necho 'made.cl:5:7: error: this is wrong'\nexit 1\n");
  chmod(compiler.c_str(), 0700);
  setenv("TANDEM_CC", compiler.c_str(), 1);
  const CommandResult fresh = make();
  EXPECT_EQ(fresh.status, 1);
  EXPECT_NE(fresh.errors.find("error: this is wrong\n  //!READ a float32\n"), std::string::npos)
      << fresh.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/made.cl"));
  write_file(folder_ + "/made.cl", "old");
  EXPECT_EQ(make().status, 1);
  EXPECT_EQ(read_file(folder_ + "/made.cl"), "old");
  unsetenv("TANDEM_CC");
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  return RUN_ALL_TESTS();
}
