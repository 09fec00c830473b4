// SPDX-License-Identifier: LGPL-2.1-or-later
// Consecutive stage files in one pass: the same bits as one by one, wherever a mapping cuts them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/gst/support/decisions.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{333, 77};
constexpr int kFrames = 5;

std::string stage(const std::string& name, const std::string& text) {
  const std::string path = temporary_folder() + "/fused_" + name + ".cl";
  std::ofstream(path) << "//!STAGE " << name << '\n' << text;
  return "kernelstage name=" + name + " location=" + path;
}

// Names that meet: parameters, functions, constants, and a tensor that is made anew.
std::string linear() {
  return stage("linear", R"(//!PARAM gain float 1.25 0..10
constant float offsets[2] = {0.5f, 3.0f};
float curve(float v) { return v * v / 255 + offsets[1]; }
//!READ luma
//!WRITE value float32
//!MAP
value = curve(luma(0, 0)) * gain;
)");
}
std::string curve() {
  return stage("curve", R"(//!PARAM gain float 0.75 0..10
constant float offsets[3] = {7, 2, 1};
float curve(float v) { return v + offsets[0]; }
//!READ value float32
//!WRITE made float32 as=value
//!MAP
float linear = value(0, 0);
made = curve(linear) / (gain + x % 3);
)");
}
std::string cut() {
  return stage("cut", R"(//!PARAM gain int 90 0..255
//!READ from float32 from=value
//!READ luma halo=1
//!WRITE level uint8
//!MAP
level = from(0, 0) > gain ? luma(-1, 0) : convert_uchar_sat(from(0, 0));
)");
}
std::string back() {
  return stage("back", "//!READ level uint8\n//!WRITE luma\n//!MAP\nluma = 255 - level(0, 0);\n");
}
std::string bright(const std::string& name) {
  return stage(name,
               "//!PARAM gain float 1.1 0..10\n//!READ luma\n//!WRITE luma\n//!MAP\n"
               "luma = convert_uchar_sat(luma(0, 0) * gain + y % 2);\n");
}
// No map of its own element.
std::string smear() {
  return stage("smear",
               "//!READ level uint8 halo=1\n//!WRITE out uint8 as=level\n//!MAP\n"
               "out = (level(-1, 0) + level(1, 0) + level(0, 1)) / 3;\n");
}

std::string chain(const std::vector<std::string>& stages) {
  std::string line;
  for (const std::string& one : stages) line += (line.empty() ? "" : " ! ") + one;
  return line;
}

/// How many frames each stage was in one pass with others.
std::vector<guint64> fused_frames(const Stream& stream) {
  GstStructure* stats = nullptr;
  g_object_get(stream.tandembin(), "stats", &stats, nullptr);
  const GValue* stages = gst_structure_get_value(stats, "stages");
  std::vector<guint64> frames(gst_value_array_get_size(stages));
  for (guint k = 0; k < frames.size(); ++k)
    gst_structure_get_uint64(gst_value_get_structure(gst_value_array_get_value(stages, k)),
                             "fused-frames", &frames[k]);
  gst_structure_free(stats);
  return frames;
}

class OneByOne {
 public:
  OneByOne() { setenv("TANDEM_NO_FUSION", "1", 1); }
  ~OneByOne() { unsetenv("TANDEM_NO_FUSION"); }
};

std::vector<Result> run_one_by_one(const std::string& stages, const std::string& properties,
                                   const char* format) {
  const OneByOne apart;
  Stream stream(bin_of(stages, properties), kSize, format);
  const auto results = stream.run(kFrames);
  for (const guint64 frames : fused_frames(stream)) EXPECT_EQ(frames, 0U);
  return results;
}

void expect_equal(const std::vector<Result>& fused, const std::vector<Result>& apart) {
  ASSERT_EQ(indices(fused), count_to(kFrames));
  ASSERT_EQ(fused.size(), apart.size());
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_EQ(fused[i].pixels, apart[i].pixels) << "frame " << i;
    ASSERT_EQ(fused[i].tensors.size(), apart[i].tensors.size());
    for (const auto& [name, values] : apart[i].tensors)
      EXPECT_TRUE(fused[i].tensors.at(name) == values) << name << " of frame " << i;
  }
}

/// Which stages one pass holds: the letters of those that follow each other, as in "aabb-".
std::string passes_of(const std::string& mapping, const std::string& fusible) {
  std::string fused(mapping.size(), '-');
  for (std::size_t k = 0; k + 1 < mapping.size(); ++k)
    if (mapping[k] == mapping[k + 1] && fusible[k] == '+') fused[k] = fused[k + 1] = 'f';
  return fused;
}

/// Where mappings of so many stages cut a chain: nowhere, and in each place.
std::vector<std::string> mappings_of(std::size_t stages) {
  std::vector<std::string> mappings{std::string(stages, 'c')};
  if (!have_opencl_device()) return mappings;
  for (std::size_t k = 0; k < stages; ++k) {
    mappings.push_back(std::string(k, 'c') + std::string(stages - k, 'g'));
    if (k > 0) mappings.push_back(std::string(k, 'g') + std::string(stages - k, 'c'));
  }
  return mappings;
}

/// Under each of these mappings. `fusible`: '+' where a stage goes with the next one.
void expect_fused(const std::vector<std::string>& stages, const std::string& fusible,
                  const char* format = "GRAY8") {
  const std::string line = chain(stages);
  bool keeps = true;
  for (const std::string& mapping : mappings_of(stages.size())) {
    for (const char* grain : {" granularity=cg threads=2", " granularity=mg"}) {
      keeps = !keeps;
      const std::string properties = "cpu-fallback=false mapping=" + mapping + grain +
                                     " keep-tensors=" + (keeps ? "true" : "false");
      SCOPED_TRACE(properties);
      Stream stream(bin_of(line, properties), kSize, format);
      expect_equal(stream.run(kFrames), run_one_by_one(line, properties, format));
      const auto frames = fused_frames(stream);
      const std::string expected = passes_of(mapping, fusible);
      for (std::size_t k = 0; k < stages.size(); ++k)
        EXPECT_EQ(frames[k], expected[k] == 'f' ? guint64{kFrames} : 0U) << "stage " << k + 1;
    }
    keeps = !keeps;
  }
}

TEST(FusedStages, Two) { expect_fused({linear(), curve()}, "+-"); }

TEST(FusedStages, Three) { expect_fused({linear(), curve(), cut()}, "++-"); }

TEST(FusedStages, FourThatChangeThePixels) {
  expect_fused({linear(), curve(), cut(), back()}, "+++-", "I420");
}

TEST(FusedStages, LumaGoesFromOneToTheNext) {
  expect_fused({bright("one"), bright("two"), bright("three")}, "++-", "NV12");
}

TEST(FusedStages, WhatFollowsChangedLumaReadsIt) {
  expect_fused({bright("one"), linear(), curve(), bright("two")}, "+++-");
}

TEST(FusedStages, AStageOfNeighboursIsAlone) {
  expect_fused({linear(), cut(), smear(), back()}, "+-+-");
}

// What is wanted behind a pass is written: `value` of the second, not of the first.
TEST(FusedStages, WhatIsReadBehindAPassIsWritten) {
  const std::string later =
      stage("later",
            "//!READ level uint8 halo=1\n//!READ value float32\n//!WRITE luma\n//!MAP\n"
            "luma = convert_uchar_sat(value(0, 0) + level(1, 1));\n");
  expect_fused({linear(), curve(), cut(), later}, "++--");
}

// More than a pass holds.
TEST(FusedStages, FiveAreTwoPasses) {
  const std::string line = chain({bright("a"), bright("b"), bright("c"), bright("d"), bright("e")});
  for (const char* mapping : {"ccccc", "ggggg"}) {
    if (*mapping == 'g' && !have_opencl_device()) continue;
    SCOPED_TRACE(mapping);
    const std::string properties = "cpu-fallback=false mapping=" + std::string(mapping);
    Stream stream(bin_of(line, properties), kSize);
    expect_equal(stream.run(kFrames), run_one_by_one(line, properties, "GRAY8"));
    EXPECT_EQ(fused_frames(stream), (std::vector<guint64>{5, 5, 5, 5, 0}));
  }
}

TEST(FusedStages, PropertiesChangeWhilePlaying) {
  for (const char* mapping : {"ccc", "ggg"}) {
    if (*mapping == 'g' && !have_opencl_device()) continue;
    SCOPED_TRACE(mapping);
    const auto run = [&] {
      Stream stream(bin_of(chain({linear(), curve(), cut()}),
                           "keep-tensors=true cpu-fallback=false mapping=" + std::string(mapping)),
                    kSize);
      stream.play();
      std::vector<Result> all;
      for (int i = 0; i < kFrames; ++i) {
        gst_child_proxy_set(GST_CHILD_PROXY(stream.element("linear")), "params::gain", 1 + 0.25 * i,
                            nullptr);
        gst_child_proxy_set(GST_CHILD_PROXY(stream.element("cut")), "params::gain", 40 + 20 * i,
                            nullptr);
        stream.push(i, i + 1);
        all.push_back(stream.pull(1).at(0));
      }
      return std::pair(all, fused_frames(stream).at(1));
    };
    const auto [fused, frames] = run();
    EXPECT_EQ(frames, guint64{kFrames});
    EXPECT_NE(fused[0].tensors.at("level"), fused[1].tensors.at("level"));
    const OneByOne apart;
    expect_equal(fused, run().first);
  }
}

// A name in brackets is not seen as one: both files have the function, and together they are no C.
TEST(FusedStages, WhatDoesNotCompileTogetherIsComputedOneByOne) {
  const std::string twice = "float (twice)(float v) { return 2 * v; }\n";
  const std::string line = chain(
      {stage("one", twice + "//!READ luma\n//!WRITE a float32\n//!MAP\na = twice(luma(0, 0));\n"),
       stage("two",
             twice + "//!READ a float32\n//!WRITE luma\n//!MAP\nluma = twice(a(0, 0)) / 8;\n"),
       bright("three")});
  for (const char* mapping : {"ccc", "ggg"}) {
    if (*mapping == 'g' && !have_opencl_device()) continue;
    SCOPED_TRACE(mapping);
    const std::string properties = "cpu-fallback=false mapping=" + std::string(mapping);
    Stream stream(bin_of(line, properties), kSize);
    expect_equal(stream.run(kFrames), run_one_by_one(line, properties, "GRAY8"));
    EXPECT_EQ(fused_frames(stream), (std::vector<guint64>{0, kFrames, kFrames}));
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

// Stages share the time of the pass, and the bin learns with it.
TEST(FusedStages, TheBinLearnsWithThem) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const std::string line = chain({bright("one"), bright("two"), bright("three")});
  Stream stream("tandembin.( name=tandembin0 cores=2 opencl-device=any " + line + " )", kSize);
  stream.play();
  std::vector<Result> results;
  for (int i = 0; i < 400; ++i) {
    stream.push(i, i + 1);
    const auto some = stream.pull(1);
    results.insert(results.end(), some.begin(), some.end());
  }
  EXPECT_EQ(results.size(), 400U);
  EXPECT_GT(fused_frames(stream).at(0), 0U);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST(FusedStages, ADeviceThatJoinsFramesThatPassHasThemToo) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const std::string line = chain({bright("one"), bright("two"), bright("three")});
  Stream stream(bin_of(line, "adapt=both max-overhead=0.9"), kSize);
  stream.play();
  stream.push(0, 1);
  stream.pull(1);
  ASSERT_EQ(stream.stat("frames-cpu"), 1U) << "the device's programs are not built yet";
  run_until(stream, 1, 1);
  g_object_set(stream.tandembin(), "cpu-fallback", FALSE, nullptr);
  gst_util_set_object_arg(G_OBJECT(stream.tandembin()), "mapping", "ggg");
  const guint64 before = fused_frames(stream).at(0), on_device = stream.stat("frames-device");
  stream.push(0, kFrames);
  EXPECT_EQ(stream.pull(kFrames).size(), std::size_t{kFrames});
  EXPECT_EQ(fused_frames(stream).at(0), before + kFrames);
  EXPECT_EQ(stream.stat("frames-device"), on_device + kFrames);
}

/// In a process of its own, whose device fails after some commands.
class FusedStagesOfAFailedDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("TANDEM_OPENCL_FAIL_AFTER") || !have_opencl_device())
      GTEST_SKIP() << "no device that fails";
  }
};

TEST_F(FusedStagesOfAFailedDevice, TheCoresGoOn) {
  const std::string line = chain({bright("one"), linear(), curve(), bright("two")});
  Stream stream(bin_of(line, "mapping=gggg cpu-fallback=false keep-tensors=true"), kSize);
  const auto results = stream.run(kFrames);
  expect_equal(results, run_one_by_one(line, "mapping=cccc keep-tensors=true", "GRAY8"));
  EXPECT_GE(stream.stat("device-failures"), 1U);  // of each frame that was there
  EXPECT_EQ(fused_frames(stream), (std::vector<guint64>(4, kFrames)));
}

}  // namespace
}  // namespace tandem::test
