// SPDX-License-Identifier: LGPL-2.1-or-later
// The device fails in mid-stream: TANDEM_OPENCL_FAIL_AFTER=n lets n commands succeed. It is read
// once, so that each test is a process of its own.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/gst/support/decisions.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 12;
constexpr char kWarning[] = "The OpenCL device failed, and the CPU continues: ";

class DeviceFailure : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(std::getenv("TANDEM_OPENCL_FAIL_AFTER"), nullptr) << "run by meson test";
    if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  }

  static void expect_complete(Stream& stream) {
    const std::vector<Result> expected = expected_results(kFrames), got = stream.run(kFrames);
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], true);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  }

  static void expect_the_bin_goes_on(const std::string& configuration) {
    Stream stream(bin(configuration + " keep-tensors=true"));
    expect_complete(stream);
    const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].text.rfind(kWarning, 0), 0U) << warnings[0].text;
    EXPECT_EQ(warnings[0].source, "tandembin0");
    EXPECT_EQ(stream.configuration().substr(0, 3), "ccc");
    EXPECT_EQ(stream.stat("frames"), uint64_t{kFrames});
    EXPECT_EQ(
        stream.stat("frames-cpu") + stream.stat("frames-device") + stream.stat("frames-mixed"),
        uint64_t{kFrames});
    EXPECT_GE(stream.stat("device-failures"), 1U);
  }
};

TEST_F(DeviceFailure, Decoupled) { expect_the_bin_goes_on("mapping=ggg threads=1"); }

TEST_F(DeviceFailure, DecoupledBesideTheCpu) {
  // The CPU may be quick enough to take all frames after the first: that one goes to the device.
  expect_the_bin_goes_on("mapping=ggg threads=3");
}

TEST_F(DeviceFailure, Coupled) { expect_the_bin_goes_on("mapping=gcg threads=1"); }

TEST_F(DeviceFailure, MediumGrain) { expect_the_bin_goes_on("mapping=gcg granularity=mg"); }

TEST_F(DeviceFailure, Bands) { expect_the_bin_goes_on("mapping=ggg threads=1 tasks=4"); }

TEST_F(DeviceFailure, Split) { expect_the_bin_goes_on("mapping=sss split=37"); }

// What training found out is void: all cores compute until it may begin again on them, which may be
// at once.
TEST_F(DeviceFailure, DuringTraining) {
  Stream stream(bin("adapt=both max-overhead=0.9 keep-tensors=true"));
  stream.play();
  const auto told = [&](const std::string& part) {
    std::vector<Message> found = stream.messages.all(GST_MESSAGE_ELEMENT);
    std::erase_if(found, [&](const Message& message) {
      return message.text.find(part) == std::string::npos;
    });
    return found;
  };
  const std::vector<Result> got =
      run_until(stream, [&] { return !told("reason=(string)device-failed").empty(); });
  for (const Message& waits : told("reason=(string)not-allowed"))
    EXPECT_NE(waits.text.find("new=(string)ccc/cg2"), std::string::npos) << waits.text;
  const std::vector<Message> trained = told("reason=(string)device-failed");
  ASSERT_FALSE(trained.empty());
  EXPECT_NE(trained[0].text.find("new=(string)ccc"), std::string::npos) << trained[0].text;
  // Medium grain, one thread and two; three threads unless frames take longer than 0.1 s.
  const auto experiments = [&](const char* count) {
    return trained[0].text.find(std::string("training-experiments=(int)") + count + ",") !=
           std::string::npos;
  };
  EXPECT_TRUE(experiments("4") || experiments("3")) << trained[0].text;
  const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].text.rfind(kWarning, 0), 0U) << warnings[0].text;
  const int frames = static_cast<int>(got.size());
  ASSERT_EQ(indices(got), count_to(frames));
  const std::vector<Result> expected = expected_results(frames);
  for (int i = 0; i < frames; ++i) expect_same(expected[i], got[i], true);
}

// The frame's pixels are the input of the first stage: they must last until the device is done.
TEST_F(DeviceFailure, Despeckling) {
  const auto despeckle = [](const std::string& properties) {
    return std::make_unique<Stream>(
        bin_of("sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate iterations=3 ! "
               "sradcompress",
               properties));
  };
  const std::vector<Result> expected = despeckle("mapping=cccccc")->run(kFrames);
  for (const char* configuration :
       {"mapping=gggggg threads=1", "mapping=gcgggg threads=3", "mapping=ssssss split=37",
        "mapping=gsssss split=60", "mapping=gggggg threads=1 tasks=4"}) {
    const auto stream = despeckle(configuration);
    const std::vector<Result> got = stream->run(kFrames);
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) {
      for (std::size_t k = 0; k < expected[i].pixels.size(); ++k)
        ASSERT_LE(std::abs(got[i].pixels[k] - expected[i].pixels[k]), 1) << i << ", byte " << k;
    }
    EXPECT_TRUE(stream->messages.all(GST_MESSAGE_ERROR).empty());
    EXPECT_EQ(stream->messages.all(GST_MESSAGE_WARNING).size(), 1U);
  }
}

TEST_F(DeviceFailure, StagesAlone) {
  const std::string device = " device=opencl opencl-device=any";
  Stream stream("vividfilter" + device + " ! vividhistogram" + device + " ! vividclassifier" +
                device);
  expect_complete(stream);
  const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
  EXPECT_EQ(warnings.size(), 3U) << "one of each stage";
  for (const Message& warning : warnings)
    EXPECT_EQ(warning.text.rfind(kWarning, 0), 0U) << warning.text;
}

}  // namespace
}  // namespace tandem::test
