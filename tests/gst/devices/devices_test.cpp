// SPDX-License-Identifier: LGPL-2.1-or-later
// Several devices of one kind under one letter. The environment makes two of PoCL's one, and lets
// one of them fail; it is read once, so that each failure is a process of its own.
#include <gtest/gtest.h>

#include <cstdlib>

#include "kernels/opencl/opencl.h"
#include "tests/gst/support/decisions.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 48;  // enough for each device to get some on a busy machine

class TwoDevices : public testing::Test {
 protected:
  void SetUp() override {
    const auto devices = opencl::list_devices();
    if (devices.size() < 2) GTEST_SKIP() << "one OpenCL device or none: run by meson test";
    both_ = " opencl-device=any,any ";
  }

  void expect_complete(const std::string& properties) {
    SCOPED_TRACE(properties);
    Stream stream(bin(both_ + properties + " keep-tensors=true"));
    const std::vector<Result> expected = expected_results(kFrames), got = stream.run(kFrames);
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], true);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }

  std::string both_;
};

TEST_F(TwoDevices, ComputeWhatOneDoes) {
  for (const char* mapping : {"ggg", "gcg", "cgc", "cgg", "ggc"}) {
    for (const char* rest : {"threads=1 lanes=1", "threads=1 lanes=2", "threads=3 lanes=4",
                             "granularity=mg lanes=2"}) {
      expect_complete(std::string("mapping=") + mapping + " " + rest);
    }
  }
}

TEST_F(TwoDevices, AreCountedAndShareTheDeviceFrames) {
  Stream stream(bin(both_ + "mapping=ggg threads=2 lanes=2"));
  stream.run(kFrames);
  EXPECT_EQ(stream.stat("frames-device"), uint64_t{kFrames}) << "each thread serves a device";
  EXPECT_EQ(stream.stat("opencl-devices"), 2U);
}

// The same frame passes the part that is repeated on one device and on the other.
TEST_F(TwoDevices, DespeckleTogether) {
  const auto despeckle = [](const std::string& properties) {
    return Stream(bin_of("sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate "
                         "iterations=3 ! sradcompress",
                         properties))
        .run(kFrames);
  };
  const std::vector<Result> expected = despeckle("mapping=cccccc");
  for (const char* rest : {"mapping=gggggg threads=2 lanes=2", "mapping=gcgggg threads=3 lanes=4",
                           "mapping=ggcggg threads=1 lanes=1"}) {
    const std::vector<Result> got = despeckle(both_ + rest);
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) {
      for (std::size_t k = 0; k < expected[i].pixels.size(); ++k)
        ASSERT_LE(std::abs(got[i].pixels[k] - expected[i].pixels[k]), 1) << rest << ": frame " << i;
    }
  }
}

TEST_F(TwoDevices, AreTrainedAndChosenTogether) {
  Stream stream(bin(both_ + "adapt=both max-overhead=0.9 keep-tensors=true"));
  stream.play();
  run_until(stream, 1);
  const std::vector<Told> all = told(stream);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].reason, "caps");
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
}

// TANDEM_OPENCL_FAIL_AFTER=n@device
class OneOfTwoFails : public TwoDevices {
 protected:
  void SetUp() override {
    ASSERT_NE(std::getenv("TANDEM_OPENCL_FAIL_AFTER"), nullptr) << "run by meson test";
    TwoDevices::SetUp();
  }

  void expect_the_other_goes_on(const std::string& properties, const std::string& mapping) {
    Stream stream(bin(both_ + properties + " mapping=" + mapping + " keep-tensors=true"));
    const std::vector<Result> expected = expected_results(kFrames);
    stream.push(0, kFrames);  // before it plays: a slow source leaves all frames to one device
    stream.play();
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], true);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
    const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].text.rfind("One of the OpenCL devices failed, the other 1", 0), 0U)
        << warnings[0].text;
    EXPECT_EQ(stream.configuration().substr(0, 3), mapping);
    EXPECT_GE(stream.stat("device-failures"), 1U);
    EXPECT_GT(stream.stat("frames-device") + stream.stat("frames-mixed"), 0U);
  }
};

TEST_F(OneOfTwoFails, Decoupled) { expect_the_other_goes_on("threads=2 lanes=2", "ggg"); }
TEST_F(OneOfTwoFails, Coupled) { expect_the_other_goes_on("threads=2 lanes=2", "gcg"); }
TEST_F(OneOfTwoFails, MediumGrain) { expect_the_other_goes_on("granularity=mg lanes=4", "ggg"); }

}  // namespace
}  // namespace tandem::test
