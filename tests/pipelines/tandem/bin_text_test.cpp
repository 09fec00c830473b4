// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/run/bin_text.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include <functional>

#include "scheduler/learn/run/decision.h"

namespace tandem::test {
namespace {

BinStats training_in(const char* configuration, int trainings) {
  BinStats stats;
  stats.configuration = configuration;
  stats.training = true;
  stats.trainings = trainings;
  return stats;
}

BinStats running(const char* configuration) {
  BinStats stats;
  stats.configuration = configuration;
  stats.trainings = 1;
  return stats;
}

TEST(InWords, SaysWhatRunsWhere) {
  EXPECT_EQ(configuration_text("ccc/cg1"), "on the CPU (1 thread)");
  EXPECT_EQ(configuration_text("ccc/cg2"), "on the CPU (2 threads)");
  EXPECT_EQ(configuration_text("ccc/mg"), "on the CPU (all cores on one frame)");
  EXPECT_EQ(configuration_text("ccc/mg4"), "on the CPU (4 frames at a time over all cores)");
  EXPECT_EQ(configuration_text("ggg/cg1"), "on the device (1 thread)");
  EXPECT_EQ(configuration_text("ggg/cg12/q4"),
            "on the device (12 threads, 4 frames on the device at a time, the CPU helps while the "
            "device is busy)");
  EXPECT_EQ(configuration_text("ggg/cg1/q2/t4"),
            "on the device (1 thread, 2 frames on the device at a time, each in 4 bands there)");
  EXPECT_EQ(configuration_text("ggc/cg1"),
            "stages 1-2 on the device, stage 3 on the CPU (1 thread)");
  EXPECT_EQ(configuration_text("cggcgc/cg1"),
            "stages 1, 4, 6 on the CPU, stages 2-3, 5 on the device (1 thread)");
  EXPECT_EQ(configuration_text("ghc/mg"),
            "stage 1 on device g, stage 2 on device h, stage 3 on the CPU (all cores on one frame, "
            "the CPU helps while the device is busy)");
  EXPECT_EQ(configuration_text("sss/mg/a37"),
            "on the CPU and the device together (all cores on one frame, the CPU computes 37% of "
            "the rows)");
}

TEST(InWords, LeavesOtherTextAsItIs) {
  for (const char* text : {"", "/", "ccc", "/cg1", "ccc/cg0", "xyz/cg1", "ccc/cg1/q2",
                           "cccccccccccccccccc/cg1", "measured only"})
    EXPECT_EQ(configuration_text(text), text);
}

TEST(StatusText, TellsHowLongLearningLastsAndWhatRuns) {
  StatusText activity;
  EXPECT_EQ(activity.text(training_in("ccc/cg1", 1), 0.5),
            "learning for 0 s: on the CPU (1 thread)");
  EXPECT_EQ(activity.text(training_in("ccc/mg", 1), 3.6),
            "learning for 3 s: on the CPU (all cores on one frame)");
  EXPECT_EQ(activity.text(running("ccc/cg2"), 4), "on the CPU (2 threads)");
  EXPECT_EQ(activity.text(training_in("ccc/cg1", 2), 20),
            "learning for 0 s: on the CPU (1 thread)");
  EXPECT_EQ(activity.text(training_in("ccc/cg2", 2), 22),
            "learning for 2 s: on the CPU (2 threads)");
  EXPECT_EQ(activity.text(training_in("ccc/cg2", 3), 25),
            "learning for 0 s: on the CPU (2 threads)")
      << "another one";
}

TEST(StatusText, CountsExperimentsAndTrials) {
  StatusText activity;
  BinStats stats = training_in("ccc/cg1", 1);
  stats.experiment = 7;
  EXPECT_EQ(activity.text(stats, 0), "learning for 0 s, experiment 7: on the CPU (1 thread)");
  stats.experiment = 0;
  stats.trial = 2;
  EXPECT_EQ(activity.text(stats, 1), "learning for 1 s, trial 2: on the CPU (1 thread)");
}

TEST(StatusText, SaysWhenLearningNeverEnded) {
  EXPECT_EQ(status_summary(running("ccc/cg2")), "ran on the CPU (2 threads)");
  EXPECT_EQ(status_summary(training_in("ccc/cg3", 1)),
            "still learning at the end, last on the CPU (3 threads)");
}

TEST(StatusText, IsVerboseOnRequest) {
  EXPECT_EQ(StatusText(true).text(running("ccc/cg2"), 4), "on the CPU (2 threads) [ccc/cg2]");
  EXPECT_EQ(status_summary(running("ccc/cg2"), true), "ran on the CPU (2 threads) [ccc/cg2]");
}

std::string text_of(const std::string& structure,
                    const std::function<std::string(const GstStructure*)>& tell) {
  GstStructure* decision = gst_structure_from_string(structure.c_str(), nullptr);
  std::string text = tell(decision);
  gst_structure_free(decision);
  return text;
}

std::string words_of(const std::string& fields, double max_overhead = 0.05) {
  return text_of("tandem-decision, " + fields + ";", [max_overhead](const GstStructure* decision) {
    return decision_text(decision, max_overhead);
  });
}

TEST(Decision, WithoutAChoiceSaysWhatWasBest) {
  const std::string fields =
      "old=cc/cg2, new=cc/cg2, reason=too-short, training-frames=60, training-seconds=3.83";
  EXPECT_EQ(
      words_of(fields),
      "the video ended before the training did, after 60 frames in 3.83 s: nothing was chosen");
  EXPECT_EQ(words_of(fields + ", ranking=(structure)< [ranking, configuration=gc/cg1, "
                              "fps=(double)31.5, energy=(double)0.25] >"),
            "the video ended before the training did, after 60 frames in 3.83 s: nothing was "
            "chosen; best "
            "so far: stage 1 on the device, stage 2 on the CPU (1 thread), 31.5 frames/s, 0.25 J a "
            "frame");
}

TEST(Decision, SaysWhatRunsWhyAndWhatItGains) {
  const std::string fields =
      "old=cc/cg2, new=cc/mg, reason=caps, predicted-fps=20.0, training-frames=64, "
      "training-seconds=0.31";
  EXPECT_EQ(
      words_of(fields),
      "learned in 0.31 s on 64 frames: now on the CPU (all cores on one frame), 20.0 frames/s "
      "expected");
  EXPECT_EQ(words_of(fields + ", ranking=(structure)< [ranking, configuration=cc/mg, "
                              "fps=(double)20], [ranking, configuration=cc/cg2, fps=(double)10] >"),
            "learned in 0.31 s on 64 frames: now on the CPU (all cores on one frame), 20.0 instead "
            "of 10.0 frames/s expected");
  EXPECT_EQ(
      words_of("old=cc/cg2, new=cc/cg2, reason=drift, predicted-fps=20.0, target-missed=true, "
               "training-frames=64, training-seconds=0.31"),
      "the time of a frame has changed: still on the CPU (2 threads), 20.0 frames/s "
      "expected; learned in 0.31 s on 64 frames; no configuration reaches the target rate");
  EXPECT_EQ(text_of("something-else;", [](auto* d) { return decision_text(d, 0.05); }), "");
}

TEST(Decision, SaysWhatLearningWaitsFor) {
  EXPECT_EQ(words_of("old=cc/cg2, new=cc/cg2, reason=not-allowed"),
            "still learning: on the CPU (2 threads) until the 5% budget allows another "
            "measurement");
  EXPECT_EQ(words_of("old=cc/cg2, new=cc/cg2, reason=not-allowed", 0.125),
            "still learning: on the CPU (2 threads) until the 12.5% budget allows another "
            "measurement");
  EXPECT_EQ(words_of("old=cc/cg2, new=cc/cg2, reason=not-allowed", 0),
            "on the CPU (2 threads): max-overhead=0 allows no measurement");
  EXPECT_EQ(words_of("old=cc/cg2, new=cc/cg2, reason=waits"),
            "still learning: on the CPU (2 threads) until another bin of this process has "
            "measured");
}

TEST(Decision, HasASentenceForEachReason) {
  for (int i = 0; *to_string(Reason{i}) != 0; ++i) {
    const std::string reason = to_string(Reason{i});
    const std::string words = words_of("old=cc/cg2, new=cc/mg, reason=" + reason);
    EXPECT_FALSE(words.starts_with(reason + ":")) << words;
    EXPECT_GT(words.size(), 20u) << reason;
  }
}

TEST(Decision, HasAShortForm) {
  EXPECT_EQ(text_of("tandem-decision, old=cc/cg2, new=cc/mg, reason=caps, predicted-fps=20.0, "
                    "measured-fps=10.0;",
                    short_text),
            "caps: cc/cg2 -> cc/mg (cc/cg2 had 10.0 frames/s)");
  EXPECT_EQ(text_of("tandem-decision, old=cc/cg2, new=cc/mg, reason=caps, "
                    "expected-loss=(double)0.0042;",
                    short_text),
            "caps: cc/cg2 -> cc/mg, expected loss 0.4%");
  EXPECT_EQ(text_of("tandem-decision, old=cc/cg2, new=cc/cg2, reason=drift;", short_text),
            "drift: cc/cg2");
  EXPECT_EQ(text_of("something-else;", short_text), "");
}

TEST(Decision, ListsTrialsWithTheirReasons) {
  EXPECT_EQ(text_of("tandem-decision, trials=(structure)<"
                    "[trial, configuration=cc/mg, why=\"trial of cc/mg: so\", fps=(double)20.04],"
                    "[trial, configuration=cc/mg, why=\"look at cc/mg: so\"]>;",
                    trials_text),
            "  trial of cc/mg: so; measured 20.0 frames/s\n"
            "  look at cc/mg: so");
  EXPECT_EQ(text_of("tandem-decision, trials=(structure)<>;", trials_text), "");
  EXPECT_EQ(text_of("something-else;", trials_text), "");
}

TEST(Decision, TellsWhereTheTimeOfATrainingWent) {
  EXPECT_EQ(text_of("tandem-decision, training-spent=(structure)<"
                    "\"spent,on=device,runs=4,frames=1280,seconds=(double)0.6\","
                    "\"spent,on=switches,runs=5,frames=64,seconds=(double)0.0325\">;",
                    training_text),
            "  trained on            runs   frames  seconds\n"
            "  device                   4     1280    0.600\n"
            "  switches                 5       64    0.033");
  EXPECT_EQ(text_of("tandem-decision, training-spent=(structure)<>;", training_text), "");
  EXPECT_EQ(text_of("something-else;", training_text), "");
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
