// SPDX-License-Identifier: LGPL-2.1-or-later
// kernelstage: its way through pipelines and bins, and files that are no good.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{48, 20};
constexpr int kFrames = 6;

/// Writes a stage file into the folder of this process; returns its path.
std::string file_of(const std::string& name, const std::string& text) {
  const std::string path = temporary_folder() + "/" + name + ".cl";
  std::ofstream(path) << text;
  return path;
}

std::string add_file() {
  static const std::string path = file_of("add",
                                          "//!STAGE add\n//!PARAM plus int 3 0..100 What is added\n"
                                          "//!READ luma\n//!WRITE sum float32\n"
                                          "//!MAP\nsum = luma(0, 0) + plus;\n");
  return path;
}
std::string scale_file() {
  static const std::string path =
      file_of("scale",
              "//!STAGE scale\n//!PARAM plus float 0.5 0..1 What is added\n//!READ sum float32\n"
              "//!WRITE scaled float32\n//!MAP\nscaled = sum(0, 0) + plus;\n");
  return path;
}

void expect_sums(const std::vector<Result>& results, int plus) {
  ASSERT_EQ(indices(results), count_to(kFrames));
  for (const Result& result : results) {
    const auto& sum = result.tensors.at("sum");
    ASSERT_EQ(sum.size(), result.pixels.size());
    for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], result.pixels[i] + plus);
  }
}

std::string error_of(const std::string& stages) {
  Stream stream(stages, kSize);
  stream.play();
  stream.push(0, 1);
  return stream.messages.wait(GST_MESSAGE_ERROR).text;
}

TEST(KernelStage, ComputesAlone) {
  Stream stream("kernelstage device=cpu location=" + add_file() + " params::plus=7", kSize);
  expect_sums(stream.run(kFrames), 7);
}

TEST(KernelStage, ComputesOnTheDevice) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  Stream stream(
      "kernelstage device=opencl opencl-device=any location=" + add_file() + " params::plus=7",
      kSize);
  expect_sums(stream.run(kFrames), 7);
}

TEST(KernelStage, ComputesUnderEveryMapping) {
  const std::string stages =
      "kernelstage location=" + add_file() + " ! kernelstage location=" + scale_file();
  for (const char* mapping : {"cc", "cg", "gc", "gg"}) {
    if (!have_opencl_device() && std::string(mapping) != "cc") continue;
    for (const char* grain : {"cg", "mg"}) {
      SCOPED_TRACE(std::string(mapping) + " " + grain);
      Stream stream(bin_of(stages, "keep-tensors=true mapping=" + std::string(mapping) +
                                       " granularity=" + grain),
                    kSize);
      const auto results = stream.run(kFrames);
      expect_sums(results, 3);
      for (const Result& result : results)
        EXPECT_EQ(result.tensors.at("scaled").at(5), result.tensors.at("sum").at(5) + 0.5F);
    }
  }
}

TEST(KernelStage, ChangesLuma) {
  const std::string path = file_of("blur",
                                   "//!STAGE blur\n//!READ luma halo=1\n//!WRITE luma\n//!MAP\n"
                                   "luma = (luma(-1, 0) + luma(1, 0)) / 2;\n");
  for (const std::string& where :
       {std::string("device=cpu"), std::string("device=opencl opencl-device=any")}) {
    if (where != "device=cpu" && !have_opencl_device()) continue;
    Stream stream("kernelstage " + where + " location=" + path, kSize);
    const auto results = stream.run(2);
    ASSERT_EQ(results.size(), 2U);
    const auto before = pixels(1, kSize);
    const int x = 5 + 3 * kSize.width;
    EXPECT_EQ(results[1].pixels.at(x), (before.at(x - 1) + before.at(x + 1)) / 2);
  }
}

TEST(KernelStage, WhatIsKeptPassesInOrder) {
  const std::string path =
      file_of("count",
              "//!STAGE count\n//!READ luma\n//!WRITE total float32 kept\n//!MAP\n"
              "total = total(0, 0) + luma(0, 0);\n");
  std::vector<std::string> ways{"kernelstage device=cpu location=" + path};
  for (const char* properties : {"threads=2", "mapping=g threads=2 lanes=2", "granularity=mg"})
    ways.push_back(
        bin_of("kernelstage location=" + path, std::string("keep-tensors=true ") + properties));
  for (const std::string& way : ways) {
    SCOPED_TRACE(way);
    Stream stream(way, kSize);
    const auto results = stream.run(20);
    ASSERT_EQ(indices(results), count_to(20));
    float total = 0;
    for (const Result& result : results) {
      total += result.pixels.at(7);
      EXPECT_EQ(result.tensors.at("total").at(7), total) << "frame " << result.index;
    }
  }
}

// Under medium grain the cores share each step and pass.
TEST(KernelStage, SeveralStepsUnderEveryGrain) {
  const std::string path =
      file_of("steps",
              "//!STAGE steps\n//!READ luma halo=1\n//!WRITE sum int32 private\n"
              "//!MAP\nsum = luma(-1, 0) + luma(1, 1);\n"
              "//!READ sum\n//!WRITE spread float32 halo=1\n//!LOOP 60 settle\n"
              "spread = max(sum(0, 0), (int)spread(-1, 0));\n"
              "again = spread != spread(0, 0);\n");
  Stream alone("kernelstage device=cpu location=" + path, kSize);
  const auto expected = alone.run(kFrames);
  ASSERT_EQ(indices(expected), count_to(kFrames));
  for (const char* grain : {"mg", "cg threads=2"}) {
    SCOPED_TRACE(grain);
    Stream stream(bin_of("kernelstage location=" + path,
                         std::string("keep-tensors=true mapping=c granularity=") + grain),
                  kSize);
    const auto results = stream.run(kFrames);
    ASSERT_EQ(indices(results), count_to(kFrames));
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(results[i].tensors.at("spread"), expected[i].tensors.at("spread"));
  }
}

TEST(KernelStage, BoxesBecomeRegions) {
  const std::string path = file_of(
      "boxes",
      "//!STAGE boxes\n//!READ luma\n//!WRITE box float32 shape=2,5\n//!REGIONS box label=spot\n"
      "//!MAP\nbox = y == 1 ? 0 : x == 0 ? 3 : x == 1 ? 4 : x == 4 ? 0.5f : 10;\n");
  for (const std::string& where :
       {std::string("device=cpu"), std::string("device=opencl opencl-device=any")}) {
    if (where != "device=cpu" && !have_opencl_device()) continue;
    Stream stream("kernelstage " + where + " location=" + path, kSize);
    const auto results = stream.run(1);
    ASSERT_EQ(results.size(), 1U);
    ASSERT_EQ(results[0].boxes.size(), 1U) << "a box without width is none";
    const Box& box = results[0].boxes[0];
    EXPECT_EQ(box.label, "spot");
    EXPECT_EQ(box.x, 3U);
    EXPECT_EQ(box.y, 4U);
    EXPECT_EQ(box.width, 10U);
    EXPECT_EQ(box.confidence, 0.5);
  }
}

TEST(KernelStage, SaysWhichFileIsMissing) {
  EXPECT_EQ(error_of("kernelstage"), "kernelstage needs a stage file: set its property location.");
  EXPECT_EQ(error_of("kernelstage location=" + temporary_folder()),
            "'" + temporary_folder() + "' is not a regular file");
  EXPECT_EQ(error_of("kernelstage location=/nonexistent.cl"),
            "'/nonexistent.cl' cannot be opened: No such file or directory");
}

// Whoever may write there could have any code run.
TEST(KernelStage, SaysThatCodeIsNotKeptWhereOthersMayWrite) {
  const std::string folder = temporary_folder() + "/cache";
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  const char* const before = std::getenv("TANDEM_CACHE_DIR");
  const std::string kept = before ? before : "";
  setenv("TANDEM_CACHE_DIR", folder.c_str(), 1);
  Stream stream("kernelstage device=cpu location=" + add_file(), kSize);
  expect_sums(stream.run(kFrames), 3);
  before ? setenv("TANDEM_CACHE_DIR", kept.c_str(), 1) : unsetenv("TANDEM_CACHE_DIR");
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_WARNING).text,
            "Compiled programs are not cached, so each start compiles them again: others can write "
            "into the folder " +
                folder + " (chmod go-w " + folder + "). TANDEM_CACHE_DIR can name another folder.");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(KernelStage, SaysWhereCodeIsWrong) {
  const std::string path = file_of(
      "wrong", "//!STAGE wrong\n//!READ luma\n//!WRITE to uint8\n//!MAP\nto = lumen(0, 0);\n");
  for (const std::string& where :
       {std::string("device=cpu"), std::string("device=opencl opencl-device=any")}) {
    if (where != "device=cpu" && !have_opencl_device()) continue;
    const std::string error = error_of("kernelstage " + where + " location=" + path);
    EXPECT_NE(error.find(path + ":5:6"), std::string::npos) << error;
  }
}

TEST(KernelStage, SaysWhatMakesAMissingTensor) {
  const auto error = [&](const std::string& read) {
    return error_of("kernelstage device=cpu location=" +
                    file_of("reads", "//!STAGE reads\n//!READ " + read +
                                         "\n//!WRITE to float32\n//!MAP\nto = sum(0, 0);\n"));
  };
  EXPECT_EQ(error("sum float32"),
            "kernelstage needs the tensor 'sum', which a kernelstage whose file has 'WRITE sum' "
            "makes: put a kernelstage whose file has 'WRITE sum' before kernelstage.");
  EXPECT_NE(error("sum float32 from=a-sum").find("whose file has 'WRITE ... as=a-sum' before"),
            std::string::npos);
  EXPECT_NE(error("sum float32 from=vivid-weight").find("put vividfilter before"),
            std::string::npos);
  EXPECT_NE(error("sum float32 from=srad-image").find("put sradextract before"), std::string::npos);
}

TEST(KernelStage, SaysThatALoopDoesNotEnd) {
  const std::string path = file_of(
      "endless",
      "//!STAGE endless\n//!READ luma\n//!WRITE to uint8\n//!LOOP 5 settle\nto = 1;\nagain = 1;\n");
  EXPECT_EQ(error_of("kernelstage device=cpu location=" + path),
            path + ":4:1: the loop has not settled after 5 passes: `again` is still set");
}

TEST(KernelStage, SaysThatATensorIsAnother) {
  const std::string reader = file_of(
      "reader", "//!STAGE reader\n//!READ sum int32\n//!WRITE to uint8\n//!MAP\nto = sum(0, 0);\n");
  EXPECT_EQ(error_of("kernelstage location=" + add_file() + " ! kernelstage location=" + reader),
            "the tensor 'sum' on the frame is not int32 of 20x48, as " + reader +
                " declares: it is float32 of 20x48");
}

TEST(KernelStage, SaysWhichSettingMakesATensorFit) {
  const auto error_with = [](const std::string& shape) {
    const std::string reader = file_of(
        "vectors", "//!STAGE vectors\n//!READ v float32 shape=" + shape +
                       " from=klt-vectors\n//!WRITE to float32 shape=2,2\n//!MAP\nto = v[0];\n");
    Stream stream(
        "kltpyramid device=cpu ! kltfeatures device=cpu ! kltflow device=cpu ! "
        "kernelstage device=cpu location=" +
            reader,
        kSize);
    stream.play();
    stream.push(0, 1);
    const std::string text = stream.messages.wait(GST_MESSAGE_ERROR).text;
    return text.substr(std::min(text.find(" declares: "), text.size()));
  };
  EXPECT_EQ(error_with("400,5"), " declares: it is float32 of 200x5: set kltfeatures features=400");
  EXPECT_EQ(error_with("400,6"), " declares: it is float32 of 200x5");
}

TEST(KernelStage, AFileThatGoesLeavesTheStageAsItIs) {
  const std::string path = file_of(
      "gone", "//!STAGE gone\n//!READ luma\n//!WRITE sum float32\n//!MAP\nsum = luma(0, 0) + 1;\n");
  Stream stream("kernelstage device=cpu location=" + path, kSize);
  std::remove(path.c_str());
  expect_sums(stream.run(kFrames), 1);
}

/// In a process of its own, whose TANDEM_CC names nothing.
class KernelStageWithoutACompiler : public testing::Test {
 protected:
  void SetUp() override {
    const char* const compiler = std::getenv("TANDEM_CC");
    if (!compiler || std::string(compiler) != "/nonexistent") GTEST_SKIP() << "there is a compiler";
  }
};

TEST_F(KernelStageWithoutACompiler, TheDeviceComputesItAndTheElementSaysSo) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  for (const std::string& stages :
       {"kernelstage opencl-device=any location=" + add_file(),
        bin_of("kernelstage location=" + add_file(), "keep-tensors=true")}) {
    SCOPED_TRACE(stages);
    Stream stream(stages, kSize);
    expect_sums(stream.run(kFrames), 3);
    EXPECT_EQ(
        stream.messages.wait(GST_MESSAGE_WARNING).text,
        "There is no C compiler, so only the OpenCL device computes add. Install gcc or clang, "
        "or set TANDEM_CC to a compiler.");
  }
}

TEST_F(KernelStageWithoutACompiler, AStageOfTheCoresAloneSaysWhatIsMissing) {
  const std::string path = file_of("cores",
                                   "//!STAGE cores\n//!ONLY cpu\n//!READ luma\n//!WRITE to uint8\n"
                                   "//!MAP\nto = luma(0, 0);\n");
  const std::string error = error_of("kernelstage location=" + path);
  EXPECT_NE(error.find("no C compiler found: install gcc or clang, or set TANDEM_CC"),
            std::string::npos)
      << error;
  EXPECT_EQ(
      error_of("kernelstage device=cpu location=" + add_file()).find("kernelstage has no CPU"), 0U);
}

}  // namespace
}  // namespace tandem::test
