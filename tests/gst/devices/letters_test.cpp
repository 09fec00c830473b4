// SPDX-License-Identifier: LGPL-2.1-or-later
// Devices of two kinds, the letters g and h. The environment makes two of PoCL's one, with a driver
// each, and lets one of them fail; it is read once, so that each failure is a process of its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/opencl/opencl.h"
#include "tests/gst/support/decisions.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 48;

class TwoKinds : public testing::Test {
 protected:
  void SetUp() override {
    const auto devices = opencl::list_devices();
    if (devices.size() < 2 || devices[0].name == devices[1].name)
      GTEST_SKIP() << "no OpenCL devices of two kinds: run by meson test";
  }

  static std::string both(const std::string& properties) {
    return bin(" opencl-device=any,any " + properties + " keep-tensors=true");
  }
  static void expect_complete(Stream& stream) {
    const std::vector<Result> expected = expected_results(kFrames), got = stream.run(kFrames);
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) expect_same(expected[i], got[i], true);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  }
};

TEST_F(TwoKinds, ComputeWhatTheCpuDoes) {
  for (const char* mapping : {"ghg", "gch", "hcg", "chh", "hhg"}) {
    for (const char* rest :
         {"threads=1 lanes=1 cpu-fallback=false", "threads=3 lanes=4", "granularity=mg lanes=2"}) {
      SCOPED_TRACE(std::string(mapping) + " " + rest);
      Stream stream(both(std::string("mapping=") + mapping + " " + rest));
      expect_complete(stream);
      EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
      EXPECT_EQ(stream.configuration().substr(0, 3), mapping);
    }
  }
}

TEST_F(TwoKinds, EachComputesItsStagesOfEachFrame) {
  Stream stream(both("mapping=ghg threads=2 lanes=2 cpu-fallback=false"));
  expect_complete(stream);
  EXPECT_EQ(stream.stat("frames-device"), uint64_t{kFrames});
}

TEST_F(TwoKinds, DespeckleFromLetterToLetter) {
  const auto despeckle = [](const std::string& properties) {
    return Stream(bin_of("sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate "
                         "iterations=3 ! sradcompress",
                         properties))
        .run(kFrames);
  };
  const std::vector<Result> expected = despeckle("mapping=cccccc");
  for (const char* rest : {"mapping=ghghgh threads=2 lanes=2", "mapping=hcgghg threads=3 lanes=4",
                           "mapping=hhghhc threads=1 lanes=1 cpu-fallback=false"}) {
    const std::vector<Result> got = despeckle(std::string("opencl-device=any,any ") + rest);
    ASSERT_EQ(indices(got), count_to(kFrames));
    for (int i = 0; i < kFrames; ++i) {
      for (std::size_t k = 0; k < expected[i].pixels.size(); ++k)
        ASSERT_LE(std::abs(got[i].pixels[k] - expected[i].pixels[k]), 1) << rest << ": frame " << i;
    }
  }
}

TEST_F(TwoKinds, FlushAndSeekWithTheLanesOfBothFull) {
  for (const int lanes : {1, 2, 4}) {
    Stream stream(both("mapping=ghg threads=3 lanes=" + std::to_string(lanes)));
    stream.play();
    for (int round = 0; round < 4; ++round) {
      stream.push(0, 40);
      GstElement* source = stream.element("source");
      ASSERT_TRUE(gst_element_send_event(source, gst_event_new_flush_start()));
      ASSERT_TRUE(gst_element_send_event(source, gst_event_new_flush_stop(TRUE)));
    }
    stream.push(100, 110);
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_GE(got.size(), 1U);
    const std::vector<int> last = indices(got);
    EXPECT_TRUE(std::is_sorted(last.begin(), last.end()) || last.size() > 10);
    EXPECT_EQ(last.back(), 109);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  }
}

TEST_F(TwoKinds, OtherCapsAndEosWithTheLanesOfBothFull) {
  for (const int lanes : {1, 2, 4}) {
    Stream stream(both("mapping=hgh threads=3 lanes=" + std::to_string(lanes)));
    stream.play();
    const Size sizes[] = {{}, {96, 64}, {}};
    std::vector<Result> expected;
    for (const Size& size : sizes) {
      stream.caps(size);
      stream.push(0, kFrames / 3);
      for (const Result& each : expected_results(kFrames / 3, size)) expected.push_back(each);
    }
    stream.end();
    const std::vector<Result> got = stream.pull_all();
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) expect_same(expected[i], got[i], true);
  }
}

TEST_F(TwoKinds, StopWithTheLanesOfBothFull) {
  for (const int lanes : {1, 2, 4}) {
    Stream stream(both("mapping=ghg threads=3 lanes=" + std::to_string(lanes)));
    stream.play();
    stream.push(0, 64);
    stream.pull(5);
    stream.set_state(GST_STATE_NULL);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
  }
}

TEST_F(TwoKinds, LettersBehindThemAreSaidOnceAndComputedByTheCpu) {
  Stream stream(both("mapping=ghi threads=2"));
  expect_complete(stream);
  const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].text.find("letters for more kinds of devices than the 2 in use"),
            std::string::npos)
      << warnings[0].text;
  EXPECT_EQ(stream.configuration().substr(0, 3), "ghc");
}

TEST_F(TwoKinds, AreTrainedTogether) {
  Stream stream(both("adapt=both max-overhead=0.9"));
  stream.play();
  stream.push(0, 1);
  stream.pull(1);
  EXPECT_EQ(stream.stat("frames-cpu"), 1U) << "until the programs of both are built";
  run_until(stream, 1, 1);
  const std::vector<Told> all = told(stream);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].reason, "caps");
  EXPECT_GT(stream.stat("frames-device"), 0U);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
}

// TANDEM_OPENCL_FAIL_AFTER=n@device
class OneOfTwoKindsFails : public TwoKinds {
 protected:
  void SetUp() override {
    ASSERT_NE(std::getenv("TANDEM_OPENCL_FAIL_AFTER"), nullptr) << "run by meson test";
    TwoKinds::SetUp();
  }

  static void expect_the_other_goes_on(const std::string& properties, const std::string& mapping) {
    Stream stream(both(properties + " mapping=" + mapping));
    // A driver that gets no core may have the device's lane for a whole stream.
    for (int i = 0; i < 5 && stream.messages.all(GST_MESSAGE_WARNING).empty(); ++i) {
      stream.set_state(GST_STATE_READY);
      expect_complete(stream);
    }
    const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
    ASSERT_EQ(warnings.size(), 1U)
        << stream.stat("frames-cpu") << " of " << kFrames << " frames on the CPU alone, "
        << stream.stat("device-failures") << " failures, " << stream.stat("opencl-devices")
        << " devices left";
    EXPECT_EQ(warnings[0].text.rfind("One of the OpenCL devices failed, the other 1", 0), 0U)
        << warnings[0].text;
    EXPECT_GE(stream.stat("device-failures"), 1U);
    EXPECT_EQ(stream.stat("opencl-devices"), 1U);
  }
};

TEST_F(OneOfTwoKindsFails, OneLane) { expect_the_other_goes_on("threads=2 lanes=1", "ghg"); }
TEST_F(OneOfTwoKindsFails, TwoLanes) { expect_the_other_goes_on("threads=2 lanes=2", "ghg"); }
TEST_F(OneOfTwoKindsFails, FourLanes) {
  expect_the_other_goes_on("threads=3 lanes=4 cpu-fallback=false", "hgh");
}
TEST_F(OneOfTwoKindsFails, Coupled) { expect_the_other_goes_on("threads=2 lanes=2", "gch"); }
TEST_F(OneOfTwoKindsFails, MediumGrain) {
  expect_the_other_goes_on("granularity=mg lanes=4", "hgg");
}

}  // namespace
}  // namespace tandem::test
