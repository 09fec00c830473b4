// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/activity.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include "pipelines/tandem/decision.h"

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

TEST(Activity, TellsHowLongTrainingLastsAndWhatRuns) {
  Activity activity;
  EXPECT_EQ(activity.text(training_in("ccc/cg1", 1), 0.5), "training 0 s: ccc/cg1");
  EXPECT_EQ(activity.text(training_in("ccc/mg", 1), 3.6), "training 3 s: ccc/mg");
  EXPECT_EQ(activity.text(running("ccc/cg2"), 4), "ccc/cg2");
  EXPECT_EQ(activity.text(training_in("ccc/cg1", 2), 20), "training 0 s: ccc/cg1");
  EXPECT_EQ(activity.text(training_in("ccc/cg2", 2), 22), "training 2 s: ccc/cg2");
  EXPECT_EQ(activity.text(training_in("ccc/cg2", 3), 25), "training 0 s: ccc/cg2") << "another one";
}

TEST(Activity, CountsExperimentsAndTrials) {
  Activity activity;
  BinStats stats = training_in("ccc/cg1", 1);
  stats.experiment = 7;
  EXPECT_EQ(activity.text(stats, 0), "training 0 s, experiment 7: ccc/cg1");
  stats.experiment = 0;
  stats.trial = 2;
  EXPECT_EQ(activity.text(stats, 1), "training 1 s, trial 2: ccc/cg1");
}

TEST(Activity, SaysWhenTrainingNeverEnded) {
  EXPECT_EQ(activity_summary(running("ccc/cg2")), "ran as ccc/cg2");
  EXPECT_EQ(activity_summary(training_in("ccc/cg3", 1)),
            "was training until the end, with ccc/cg3 last");
}

std::string text_of(const char* structure,
                    std::string (*tell)(const GstStructure*) = decision_text) {
  GstStructure* decision = gst_structure_from_string(structure, nullptr);
  const std::string text = tell(decision);
  gst_structure_free(decision);
  return text;
}

TEST(Decision, TooShortSaysThatNothingWasChosen) {
  EXPECT_EQ(text_of("tandem-decision, old=cc/cg2, new=cc/cg2, reason=too-short, "
                    "training-frames=60, training-seconds=3.83;"),
            "too-short: the video ended before training did, so that nothing was chosen; trained "
            "3.83 s on 60 frames");
  EXPECT_EQ(text_of("tandem-decision, old=cc/cg2, new=cc/mg, reason=too-short, training-frames=60, "
                    "training-seconds=3.83, predicted-fps=20.0;"),
            "too-short: the video ended before training did; cc/cg2 -> cc/mg, 20.0 frames/s "
            "expected; trained 3.83 s on 60 frames");
  EXPECT_EQ(text_of("tandem-decision, old=cc/cg2, new=cc/cg2, reason=too-short, "
                    "training-frames=60, training-seconds=3.83, ranking=(structure)< "
                    "[ranking, configuration=gc/cg2, fps=(double)31.5, energy=(double)0.25] >;"),
            "too-short: the video ended before training did, so that nothing was chosen; gc/cg2 "
            "did best so far, 31.5 frames/s, 0.25 J a frame; trained 3.83 s on 60 frames");
}

TEST(Decision, TellsWhatChanged) {
  EXPECT_EQ(text_of("tandem-decision, old=cc/cg2, new=cc/mg, reason=caps, predicted-fps=20.0, "
                    "measured-fps=10.0;"),
            "caps: cc/cg2 -> cc/mg, 20.0 frames/s expected (cc/cg2 had 10.0 frames/s)");
  EXPECT_EQ(text_of("tandem-decision, old=cc/cg2, new=cc/cg2, reason=drift;"),
            "drift: stays with cc/cg2");
  EXPECT_EQ(text_of("something-else;"), "");
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
