// SPDX-License-Identifier: LGPL-2.1-or-later
// What one bin learns another one knows, as in another process: on real stages and a real OpenCL
// device.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <filesystem>

#include "scheduler/learn/keep/keeper.h"
#include "tests/gst/support/decisions.h"

namespace tandem::test {
namespace {

constexpr Size kSmall{96, 160}, kLarger{128, 192};

class KnowledgeOfBins : public testing::Test {
 protected:
  static constexpr int kMostBins = 5;

  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "tandem-bin-knows-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string adaptive(const std::string& properties = "") const {
    return bin("adapt=caps max-overhead=0.9 knowledge=" + folder_.string() + " " + properties,
               "scales=1");
  }
  /// Lets one frame flow again and again until so many decisions were told: a source that keeps the
  /// threads busy, else rates say nothing.
  static void decide(Stream& stream, std::size_t count, Size size = kSmall) {
    constexpr int kAhead = 400, kMost = 200000;
    GstBuffer* frame = gst_buffer_new_allocate(nullptr, size.width * size.height, nullptr);
    gst_buffer_memset(frame, 0, 128, size.width * size.height);
    const auto push = [&] { stream.push_buffer(gst_buffer_copy(frame)); };
    stream.play();
    for (int i = 0; i < kAhead; ++i) push();
    for (int i = 0; told(stream).size() < count && i < kMost; ++i) {
      for (int more = 0; more < 8; ++more) {
        push();
        gst_clear_buffer(std::array{stream.pull_buffer()}.data());
      }
    }
    gst_buffer_unref(frame);
    EXPECT_GE(told(stream).size(), count);
  }
  /// Lets a bin learn of frames of this size, to the end. On a busy machine the source may seem
  /// slow, and what is learnt of such a one is not kept: another bin learns then.
  Told learn(Size size, const std::string& properties = "") const {
    Told last;
    for (int bins = 0; bins < kMostBins; ++bins) {
      {
        Stream stream(adaptive(properties), size);
        decide(stream, 1, size);
        last = told(stream)[0];
      }
      for (const Known& known : kept())
        if (known.conditions.width == size.width) return last;
    }
    ADD_FAILURE() << "nothing was kept";
    return last;
  }
  std::vector<Known> kept() const { return KnowledgeFolder(folder_.string()).list(); }

  std::filesystem::path folder_;
};

TEST_F(KnowledgeOfBins, ASecondBinRunsFromTheFirstFrameWhatTheFirstOneChose) {
  const Told first = learn(kSmall);
  EXPECT_EQ(first.reason, "caps");
  ASSERT_EQ(kept().size(), 1U);
  EXPECT_EQ(kept()[0].conditions.width, 96);
  EXPECT_EQ(to_string(kept()[0].chosen->configuration), first.after);
  Stream stream(adaptive(), kSmall);
  stream.play();
  stream.push(0, 1);
  ASSERT_EQ(stream.pull(1).size(), 1U);
  const std::vector<Told> all = told(stream);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].reason, "remembered");
  EXPECT_EQ(all[0].after, first.after);
  EXPECT_EQ(all[0].experiments, 0);
}

TEST_F(KnowledgeOfBins, AnotherSizeIsDerived) {
  learn(kSmall);
  Stream stream(adaptive(), kLarger);
  decide(stream, 1, kLarger);
  EXPECT_EQ(told(stream)[0].reason, "derived");
  EXPECT_EQ(told(stream)[0].experiments, 0);
}

TEST_F(KnowledgeOfBins, WhatIsNoLongerTrueIsFoundOutAndLearntAnew) {
  learn(kSmall);
  {
    KnowledgeFolder folder(folder_.string());
    std::vector<Known> known = folder.list();
    ASSERT_EQ(known.size(), 1U);
    // The machine was busier than this one ever is: a look that sees as little would verify it.
    constexpr double kSlower = 100;
    for (Observation& seen : known[0].facts.observations) {
      seen.frame_s *= kSlower;
      for (Observation::StageTimes& stage : seen.stages) stage.seconds *= kSlower;
    }
    known[0].chosen->prediction.throughput_fps /= kSlower;
    ++known[0].trained_s;
    ASSERT_EQ(folder.store(known).kept, 1);
  }
  Stream stream(adaptive(), kSmall);
  decide(stream, 2);
  ASSERT_GE(told(stream).size(), 2U);
  EXPECT_EQ(told(stream)[0].reason, "remembered");
  EXPECT_EQ(told(stream)[1].reason, "drift");
  EXPECT_GT(told(stream)[1].experiments, 0);
  EXPECT_EQ(stream.stat("trainings"), 1U);
}

TEST_F(KnowledgeOfBins, WithoutItNothingIsReadOrWritten) {
  const std::filesystem::path other = folder_ / "not made";
  setenv("TANDEM_KNOWLEDGE", other.c_str(), 1);
  {
    Stream stream(bin("adapt=caps max-overhead=0.9 knowledge=off", "scales=1"), kSmall);
    decide(stream, 1);
  }
  {
    Stream stream(bin("adapt=caps max-overhead=0.9 knowledge=read-only", "scales=1"), kSmall);
    decide(stream, 1);
    EXPECT_EQ(told(stream)[0].reason, "caps");
  }
  EXPECT_FALSE(std::filesystem::exists(other));
  for (int bins = 0; bins < kMostBins && !std::filesystem::exists(other); ++bins) {
    Stream stream(bin("adapt=caps max-overhead=0.9", "scales=1"), kSmall);
    decide(stream, 1);
  }
  EXPECT_TRUE(std::filesystem::exists(other)) << "auto takes what the environment says";
  Stream stream(bin("adapt=caps max-overhead=0.9 knowledge=read-only", "scales=1"), kSmall);
  decide(stream, 1);
  EXPECT_EQ(told(stream)[0].reason, "remembered");
  unsetenv("TANDEM_KNOWLEDGE");
}

TEST_F(KnowledgeOfBins, AFolderThatCannotBeUsedIsSaidOnceAndStopsNothing) {
  int warnings = 0;
  for (int bins = 0; bins < kMostBins && warnings == 0; ++bins) {  // as in learn()
    Stream stream(bin("adapt=caps max-overhead=0.9 knowledge=/dev/null/knowledge", "scales=1"),
                  kSmall);
    decide(stream, 1);
    KnowledgeKeeper::of_process("/dev/null/knowledge")->recall({}, std::chrono::seconds(30));
    stream.end();
    stream.pull_all();
    for (const Message& message : stream.messages.all(GST_MESSAGE_WARNING))
      warnings += message.text.find("Knowledge:") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(warnings, 1);
}

}  // namespace
}  // namespace tandem::test
