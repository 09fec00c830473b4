// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "pipelines/generate/loop_program.h"
#include "tests/pipelines/support/command.h"

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
    return run_tandem({"check-stage", path, "--size", "64x64"});
  }
  /// The same for the cores alone, which takes less time.
  CommandResult check_cores(const std::string& directives, const std::string& body) {
    return check("//!ONLY cpu\n" + directives, body);
  }

  std::string folder_;
};

TEST_F(CheckStage, ExamplesAreRight) {
  for (const char* name : {"sobel", "pyramid", "histogram", "background", "hysteresis", "unsharp",
                           "median", "motion", "blobs", "life"}) {
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
  for (const char* name : {"1st", "a b", "", "../b", "$(b)", "a\n//!PARAM b"})
    EXPECT_EQ(run_tandem({"new-stage", name, "--folder", folder_}).status, 2) << name;
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
      all.find("cannot create a folder in '" + nowhere + "': No such file or directory; TMPDIR"),
      std::string::npos)
      << all;
}

TEST_F(CheckStage, SaysOnceThatNothingIsKept) {
  chmod(folder_.c_str(), 0777);
  setenv("TANDEM_CACHE_DIR", (folder_ + "/cache").c_str(), 1);
  const CommandResult result = check_cores("//!READ luma\n//!WRITE luma\n", "luma = luma(0, 0);");
  unsetenv("TANDEM_CACHE_DIR");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(
      result.errors,
      "tandem: Compiled programs are not cached, so each start compiles them again: others can "
      "write into the folder " +
          folder_ + " (chmod go-w " + folder_ + "). TANDEM_CACHE_DIR can name another folder.\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/cache"));
}

TEST_F(CheckStage, FindsAHaloThatIsTooSmall) {
  const CommandResult result =
      check_cores("//!READ luma halo=1\n//!WRITE to uint8\n", "to = luma(0, -2);");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("'luma' is read 2 elements away, but its halo is 1"),
            std::string::npos)
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

// Indices beyond each kind of array, and what is written through a pointer.
TEST_F(CheckStage, FindsIndicesThatAreOutside) {
  const auto reduce = [&](const std::string& body) {
    const std::string path = folder_ + "/own.cl";
    write_file(path,
               "//!STAGE own\nvoid add(int* to, int i) { to[i] += 1; }\n//!READ luma\n"
               "//!WRITE bins int32 shape=8\n//!REDUCE\n" +
                   body + "\n");
    const CommandResult result = run_tandem({"check-stage", path, "--opencl-device", "none"});
    EXPECT_EQ(result.status, 1) << result.output << result.errors;
    return result.output;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(reduce("bins[luma(0, 0)] += 1;"), "own.cl:6:5: index ");
  has(reduce("bins[luma(0, 0)] += 1;"), " is outside of the array 'int");
  has(reduce("bins[luma(0, 0) * 64] += 1;"), "own.cl:6:5: index ");
  has(reduce("bins[-1 - luma(0, 0)] += 1;"), "own.cl:6:5: index -");
  has(reduce("bins[0] += 1;\n//!COMBINE\nfor (int i = 0; i < 9; ++i) bins[i] += bins_other[i];"),
      "index 8 is outside");
  has(reduce("add(bins, 8);"), "the code writes behind 'bins'");
  has(reduce("add(bins, -1);"), "the code writes before 'bins'");
  has(check_cores("//!READ a int32 shape=5\n//!WRITE to int32 shape=9\n", "to = a[x];").output,
      "index 5 is outside");
  has(check_cores("//!WRITE sum int32 shape=4 kept\n",
                  "sum = frame == 0 ? 0 : 1 + sum_before[x + 1];")
          .output,
      "index 4 is outside");
  has(check_cores("//!READ luma\n//!WRITE to uint8\n", "const int t[3] = {1, 2, 3}; to = t[x];")
          .output,
      "index 3 is outside");
}

TEST_F(CheckStage, TellsOfCodeThatCrashes) {
  for (const char* body :
       {"to = *(volatile int*)16;", "*(volatile int*)16 = 1; to = 1;", "abort(); to = 1;"}) {
    const std::string path = folder_ + "/own.cl";
    write_file(path, std::string("//!STAGE own\n//!ONLY cpu\n//!READ luma\n//!WRITE to uint8\n") +
                         "//!MAP\n" + body + "\n");
    const CommandResult result = run_tandem({"check-stage", path});
    EXPECT_EQ(result.status, 1) << body;
    EXPECT_NE(result.output.find("wrong: the code crashes: "), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("; frame "), std::string::npos) << result.output;
  }
}

// A pipeline has no memory for what was before the first frame.
TEST_F(CheckStage, FindsReadsOfAFrameThatThereIsNot) {
  const std::string kept = "//!WRITE sum int32 shape=4 kept\n";
  EXPECT_NE(check_cores(kept, "sum = 1 + sum_before[x];").output.find("crashes"),
            std::string::npos);
  EXPECT_EQ(check_cores(kept, "sum = frame == 0 ? x : 1 + sum_before[x];").status, 0);
  EXPECT_EQ(check_cores("//!READ luma\n//!WRITE sum int32 kept\n", "sum = luma(0, 0) + sum(0, 0);")
                .status,
            0)
      << "a plane is 0 there";
}

TEST_F(CheckStage, GivesParametersOtherValues) {
  const auto output = [&](const std::string& parameter, const std::string& body) {
    return check_cores("//!PARAM " + parameter + "\n//!READ luma halo=1\n//!WRITE to uint8\n", body)
        .output;
  };
  for (const auto& [parameter, body, value] :
       {std::tuple{"r int 1 0..4", "to = luma(r, r);", "r=2"},
        {"r int 1 -3..1", "to = luma(r, 0);", "r=-3"},
        {"r int 0 0..100", "to = luma(r / 50, r == 100 ? 0 : r / 20);", "r=50"},
        {"r float 0.5 0..2", "to = luma(0, (int)r);", "r=2"},
        {"r bool false", "to = luma(0, r ? 2 : 0);", "r=true"}}) {
    const std::string text = output(parameter, body);
    EXPECT_NE(text.find("away, but its halo is 1; frame "), std::string::npos) << text;
    EXPECT_NE(text.find(value), std::string::npos) << text;
  }
}

// On noise a mean over many pixels is near 127.
TEST_F(CheckStage, LooksBehindThresholdsThatNoiseDoesNotReach) {
  const std::string mean =
      "int sum = 0;\nfor (int dy = -2; dy <= 2; ++dy)\n"
      "  for (int dx = -2; dx <= 2; ++dx) sum += luma(dx, dy);\n";
  for (const char* condition : {"sum > 24 * 255", "sum < 25", "sum == 25 * luma(0, 0)"})
    EXPECT_NE(check_cores("//!READ luma halo=2\n//!WRITE to uint8\n",
                          mean + "to = 1;\nif (" + condition + ") to = luma(3, 0);")
                  .output.find("'luma' is read 3 elements away"),
              std::string::npos)
        << condition;
}

TEST_F(CheckStage, TellsOfOutputsThatAreTheSameInAllFrames) {
  const auto output = [&](const std::string& body) {
    const CommandResult result = check_cores(
        "//!READ luma\n//!WRITE to int32\n//!WRITE other uint8\n", body + "other = luma(0, 0);");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(result.output.find("warning: 'other'"), std::string::npos) << result.output;
    return result.output;
  };
  EXPECT_NE(output("to = luma(0, 0) > 255;\n").find("warning: 'to' is 0 in all frames"),
            std::string::npos);
  EXPECT_NE(output("to = luma(0, 0) < 300 ? 7 : 8;\n").find("warning: 'to' is 7 in all frames"),
            std::string::npos);
  EXPECT_EQ(output("to = luma(0, 0) > 254;\n").find("warning"), std::string::npos);
}

TEST_F(CheckStage, ComparesOnAPictureOfTheUsers) {
  const std::string picture = folder_ + "/own.pgm";
  std::string pixels = "P5\n40 30\n255\n";
  for (int i = 0; i < 40 * 30; ++i) pixels += static_cast<char>(i % 2 != 0 ? 150 : 99);
  write_file(picture, pixels);
  const std::string path = folder_ + "/own.cl";
  // Columns of these levels are in the picture alone.
  write_file(path,
             "//!STAGE own\n//!ONLY cpu\n//!READ luma halo=1\n//!WRITE to uint8\n//!MAP\n"
             "to = luma(0, 0);\n"
             "if (luma(-1, 0) == 150 && luma(0, 0) == 99 && luma(1, 0) == 150) to = luma(2, 0);\n");
  EXPECT_EQ(run_tandem({"check-stage", path, "--size", "64x64"}).status, 0);
  const CommandResult result = run_tandem({"check-stage", path, "--picture", picture});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("(picture)"), std::string::npos) << result.output << result.errors;
  EXPECT_EQ(run_tandem({"check-stage", path, "--picture", path}).status, 1) << "it is no picture";
}

TEST_F(CheckStage, SaysWhichSideHadWhichValue) {
  const std::string path = folder_ + "/own.cl";
  write_file(path,
             "//!STAGE own\n//!READ luma\n//!WRITE to uint8\n//!MAP\nto = 3;\n//!CPU\n"
             "to = 5;\n");
  const CommandResult result = run_tandem({"check-stage", path});
  if (result.output.find("no device") != std::string::npos) GTEST_SKIP() << result.output;
  EXPECT_NE(
      result.output.find("'to' at (0, 0) is 5 on the cores and 3 on the device (tolerance 0); "
                         "frame 1 of 1x1 (noise)"),
      std::string::npos)
      << result.output;
}

TEST_F(CheckStage, SaysWhatItCompared) {
  const CommandResult result =
      check("//!PARAM gain float 1 0..4\n//!READ luma\n//!WRITE to float32 tolerance=0.5\n",
            "to = gain * luma(0, 0);");
  for (const char* part :
       {"8 frames (noise, noise, gradient, edges, blobs, text, black, white) of each of 6 sizes",
        "64x48", "gain=0, gain=2, gain=4", "the cores in bands of rows",
        "'to': largest difference 0, tolerance 0.5", "ms a frame of 64x64"})
    EXPECT_NE(result.output.find(part), std::string::npos) << part << " in " << result.output;
  EXPECT_EQ(result.errors.find("warning"), std::string::npos) << result.errors;
  const std::string path = folder_ + "/own.cl";
  EXPECT_NE(run_tandem({"check-stage", path, "--size", "64x32"}).output.find("a frame of 64x32"),
            std::string::npos);
  EXPECT_NE(
      check_cores("//!READ a float32 shape=3,50\n//!WRITE to float32 shape=50\n", "to = a[x];")
          .output.find("ms a run over a[3, 50], to[50]"),
      std::string::npos)
      << "the frame's size does not matter";
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
  write_file(compiler, "#!/bin/sh\nif [ $1 = --version ]; then echo own 2; exit; fi\nexit 3\n");
  const CommandResult silent = make();
  EXPECT_EQ(silent.status, 1);
  EXPECT_NE(silent.errors.find("/cc fails: it exited with status 3 and printed nothing"),
            std::string::npos)
      << silent.errors;
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
