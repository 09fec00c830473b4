// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that device and cores compute together.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr char kSrad[] =
    "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate iterations=";

std::string srad(const std::string& properties, int iterations) {
  return bin_of(kSrad + std::to_string(iterations) + " ! sradcompress",
                "keep-tensors=true " + properties);
}

std::string vivid(const std::string& properties, const std::string& filter) {
  return bin("keep-tensors=true " + properties, filter);
}

std::string split(const std::string& mapping, int percent) {
  return "mapping=" + mapping + " split=" + std::to_string(percent);
}

/// What a stream of frames of a format becomes under properties of its bin.
struct Frames {
  Size size;
  const char* format = "GRAY8";
  int count = 2;

  std::vector<Result> through(const std::string& middle, const std::string& configuration) const {
    Stream stream(middle, size, format);
    std::vector<Result> got = stream.run(count);
    EXPECT_EQ(indices(got), count_to(count));
    EXPECT_EQ(stream.configuration(), configuration);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
    EXPECT_EQ(stream.stat("frames"), static_cast<uint64_t>(count));
    EXPECT_EQ(stream.stat("device-failures"), 0U);
    return got;
  }
};

double most(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(double{a[i]} - b[i]) / std::max(1.0, std::abs(double{b[i]})));
  return most;
}

/// Sums are added in an order of each side's own, so that they agree to the last bit by chance
/// alone.
bool has_sums(const std::string& tensor) {
  const auto without = {"vivid-index", "vivid-weight", "vivid-levels"};
  return std::ranges::find(without, tensor) == without.end();
}

/// Tensors on which both sides agree to the last bit are the same when a frame is split. Others
/// differ from the cores' by the kernels' tolerances and by what the device differs by. Where that
/// has another index of some pixels, their errors may cancel each other in a window, and those of
/// its part of a split frame alone need not: up to 1.04 times its own error was seen, twice is
/// allowed.
void expect_as_on_each_side(const Result& cores, const Result& device, const Result& got,
                            double tolerance) {
  ASSERT_EQ(got.tensors.size(), cores.tensors.size());
  for (const auto& [name, values] : got.tensors) {
    SCOPED_TRACE(name);
    const std::vector<float>&on_cores = cores.tensors.at(name),
          &on_device = device.tensors.at(name);
    ASSERT_EQ(values.size(), on_cores.size());
    if (on_cores == on_device && !has_sums(name)) {
      EXPECT_EQ(values, on_cores);
    } else {
      EXPECT_LE(most(values, on_cores), tolerance + 2 * most(on_device, on_cores));
    }
  }
  ASSERT_EQ(got.pixels.size(), cores.pixels.size());
  for (std::size_t i = 0; i < got.pixels.size(); ++i)
    ASSERT_LE(std::abs(got.pixels[i] - cores.pixels[i]), 1) << "byte " << i;
}

class Split : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  }

  static void expect_vivid(const Frames& frames, const std::string& filter,
                           const std::string& mapping, int percent) {
    const std::string configuration = mapping + "/mg/a" + std::to_string(percent);
    SCOPED_TRACE(caps_text(frames.size, frames.format) + " " + filter + " " + configuration);
    const auto cores = frames.through(vivid("mapping=ccc threads=1", filter), "ccc/cg1");
    const auto device = frames.through(vivid("mapping=ggg threads=1", filter), "ggg/cg1");
    const auto got = frames.through(vivid(split(mapping, percent), filter), configuration);
    for (int i = 0; i < frames.count; ++i)
      expect_as_on_each_side(cores[i], device[i], got[i], 1e-4);
  }

  static void expect_srad(const Frames& frames, int iterations, const std::string& mapping,
                          int percent) {
    const std::string configuration = mapping + "/mg/a" + std::to_string(percent);
    SCOPED_TRACE(caps_text(frames.size, frames.format) + " " + std::to_string(iterations) + " " +
                 configuration);
    const auto cores = frames.through(srad("mapping=cccccc threads=1", iterations), "cccccc/cg1");
    const auto device = frames.through(srad("mapping=gggggg threads=1", iterations), "gggggg/cg1");
    const auto got = frames.through(srad(split(mapping, percent), iterations), configuration);
    // What one iteration rounds grows with those that follow.
    for (int i = 0; i < frames.count; ++i)
      expect_as_on_each_side(cores[i], device[i], got[i], 1e-3);
  }
};

TEST_F(Split, ViVidWithAnyShare) {
  for (const int percent : {1, 37, 50, 99}) expect_vivid({{160, 208}}, "scales=1", "sss", percent);
}

TEST_F(Split, ViVidAtSeveralScales) {
  for (const int percent : {5, 37, 80})
    expect_vivid({{131, 200}, "I420"}, "scales=3 first-scale=0.5", "sss", percent);
}

TEST_F(Split, StagesBesideWholeOnes) {
  for (const char* mapping : {"css", "ssc", "scs", "gss", "ssg", "sgs", "gsc", "csg"})
    expect_vivid({{160, 208}}, "scales=2", mapping, 37);
}

TEST_F(Split, SradJoinsInEveryRound) {
  for (const int iterations : {1, 2, 7}) expect_srad({{160, 208}}, iterations, "ssssss", 37);
}

TEST_F(Split, SradStagesBesideWholeOnes) {
  for (const char* mapping : {"cssssc", "gssssg", "sscsss", "ssgsss", "sssscs", "csgcsg"})
    expect_srad({{131, 77}, "NV12"}, 3, mapping, 37);
}

TEST_F(Split, RandomSharesAndSizes) {
  std::mt19937 random(std::random_device{}());
  const unsigned seed = random();
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE("seed " + std::to_string(seed));
  random.seed(seed);
  const auto between = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  const char* const formats[] = {"GRAY8", "I420", "NV12"};  // strides of odd widths are padded
  for (int i = 0; i < 8; ++i) {
    const Frames frames{{between(1, 260), between(1, 260)}, formats[between(0, 2)]};
    expect_srad(frames, between(1, 5), "ssssss", between(1, 99));
  }
  for (int i = 0; i < 8; ++i) {
    const Frames frames{{between(70, 260), between(135, 300)}, formats[between(0, 2)]};
    expect_vivid(frames, "scales=" + std::to_string(between(0, 3)), "sss", between(1, 99));
  }
}

TEST_F(Split, FramesSmallerThanABand) {
  for (const Size size : {Size{1, 1}, Size{1, 2}, Size{3, 1}, Size{5, 3}, Size{40, 4}})
    for (const int percent : {1, 50, 99}) expect_srad({size}, 2, "ssssss", percent);
}

TEST_F(Split, FramesWithoutAWindow) {
  Stream stream(vivid(split("sss", 37), "scales=1"), {20, 30});
  EXPECT_EQ(stream.run(2).size(), 2U);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST_F(Split, CountsFramesOfBothSides) {
  Stream stream(vivid(split("sss", 37), "scales=1"));
  stream.run(5);
  EXPECT_EQ(stream.stat("frames-mixed"), 5U);
  EXPECT_EQ(stream.stat("split"), 37U);
}

TEST_F(Split, OtherCapsAndSharesUnderWay) {
  Stream stream(vivid(split("sss", 37), "scales=1"));
  stream.play();
  int next = 0;
  for (const Size size : {Size{160, 208}, Size{131, 200}, Size{260, 140}}) {
    const std::vector<Result> expected = expected_results(next + 4, size, "scales=1");
    stream.caps(size);
    for (const int percent : {10, 90}) {
      g_object_set(stream.tandembin(), "split", std::to_string(percent).c_str(), nullptr);
      stream.push(next, next + 2);
      for (const Result& got : stream.pull(2)) expect_same(expected.at(got.index), got, true);
      next += 2;
    }
  }
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST(SplitBadInput, IsRefusedWithTheReason) {
  const auto error_of = [](const std::string& middle) {
    Stream stream(middle);
    stream.play();
    stream.push(0, 1);
    stream.end();
    return stream.messages.wait(GST_MESSAGE_ERROR).text;
  };
  EXPECT_NE(error_of(bin("mapping=sss split=100")).find("split=100 is out of range"),
            std::string::npos);
  EXPECT_NE(error_of(bin("mapping=sss split=half")).find("split=half"), std::string::npos);
  EXPECT_NE(error_of(bin("mapping=sss split=off")).find("nothing may be split"), std::string::npos);
  EXPECT_NE(error_of(bin("mapping=sss granularity=cg")).find("needs medium grain"),
            std::string::npos);
  EXPECT_NE(error_of(bin_of("scenefeatures ! sceneclassifier", "mapping=sc"))
                .find("splits scenefeatures, which cannot be split: the smallest images"),
            std::string::npos);
}

// On machines with fewer cores threads take turns.
TEST(MediumGrain, OfSeveralFramesComputesTheSame) {
  const std::vector<Result> expected = expected_results(9);
  for (const char* grain : {"mg2", "mg4"}) {
    for (const char* mapping : {"ccc", "gcg", "cgc"}) {
      if (!have_opencl_device() && mapping != std::string("ccc")) continue;
      const std::string configuration = std::string(mapping) + "/" + grain;
      SCOPED_TRACE(configuration);
      Stream stream(bin("keep-tensors=true cores=4 granularity=" + std::string(grain) +
                        " mapping=" + mapping));
      const std::vector<Result> got = stream.run(9);
      EXPECT_EQ(stream.configuration(), configuration);
      ASSERT_EQ(indices(got), count_to(9));
      for (int i = 0; i < 9; ++i) expect_same(expected[i], got[i], mapping != std::string("ccc"));
    }
  }
}

TEST(MediumGrain, OfMoreFramesThanCoresIsRefused) {
  Stream stream(bin("granularity=mg4"));
  stream.set_state_without_waiting(GST_STATE_PLAYING);
  EXPECT_NE(stream.messages.wait(GST_MESSAGE_ERROR).text.find("mg4 needs as many cores"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::test
