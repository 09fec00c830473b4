// SPDX-License-Identifier: LGPL-2.1-or-later
// The arithmetic of policy_bench, and the files by which it compares two builds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/virtual_chip/bench/decide.h"
#include "tests/virtual_chip/bench/figures.h"
#include "tests/virtual_chip/bench/report.h"
#include "tests/virtual_chip/bench/slow_time.h"

namespace tandem::test {
namespace {

Outcome outcome(unsigned seed, double chosen_value, double training_s = 1) {
  Outcome made;
  made.family = "plain";
  made.seed = seed;
  made.metric = "throughput";
  made.training_s = training_s;
  made.chosen = made.best = "cc/cg2";
  made.chosen_value = chosen_value;
  made.best_value = made.best_fps = 95;
  return made;
}

TEST(PolicyFigures, AMeanHasAStandardError) {
  const std::array values{1.0, 2.0, 3.0, 6.0};
  const Mean of = mean_of(values);
  EXPECT_DOUBLE_EQ(of.mean, 3);
  EXPECT_NEAR(of.error, 1.0801, 1e-4);  // sqrt(14 / 3) / 2
  EXPECT_NEAR(of.half_interval(), 3.1824 * 1.0801, 1e-3);
  EXPECT_FALSE(of.differs());
  const std::array alike{1.0, 2.0, 1.5, 1.2};
  EXPECT_TRUE(mean_of(alike).differs());
  EXPECT_FALSE(mean_of(std::array{1.0}).differs()) << "one chip tells nothing";
}

// From tables.
TEST(PolicyFigures, QuantilesAreStudents) {
  EXPECT_NEAR(student_t(1), 12.706, 1e-3);
  EXPECT_NEAR(student_t(4), 2.776, 0.01);
  EXPECT_NEAR(student_t(10), 2.2281, 1e-3);
  EXPECT_NEAR(student_t(30), 2.0423, 1e-4);
  EXPECT_NEAR(student_t(999), 1.9623, 1e-4);
}

TEST(PolicyFigures, AChoiceCanBeTheBestThatIsKnown) {
  EXPECT_DOUBLE_EQ(regret(outcome(0, 95)), 0);
  EXPECT_DOUBLE_EQ(regret(outcome(0, 100)), 0);
  EXPECT_DOUBLE_EQ(regret(outcome(0, 76)), 0.2);
  EXPECT_DOUBLE_EQ(regret(outcome(0, 90), 100), 0.1) << "the other build found a better one";
}

// Trainings differ by chip, and by the same between the builds: the error is of the differences.
TEST(PolicyFigures, DifferencesArePairedByChip) {
  const std::vector<Outcome> before{outcome(0, 90, 1), outcome(1, 95, 10), outcome(2, 95, 100)};
  const std::vector<Outcome> now{outcome(0, 100, 1.5), outcome(1, 95, 10.5),
                                 outcome(2, 90.25, 100.5)};
  const auto all = differences(before, now);
  EXPECT_NEAR(all[0].mean.mean, (-0.1 + 0 + 0.05) / 3, 1e-12);
  EXPECT_EQ(all[0].less, 1U);
  EXPECT_EQ(all[0].more, 1U);
  EXPECT_NEAR(all[1].mean.mean, 0.5, 1e-12);
  EXPECT_NEAR(all[1].mean.error, 0, 1e-12);
  EXPECT_EQ(all[1].more, 3U);
  EXPECT_FALSE(all[0].mean.differs());
  EXPECT_TRUE(all[1].mean.differs());
}

TEST(PolicyFigures, APairIsOfTheSameChip) {
  const std::vector<Outcome> outcomes{outcome(3, 90), outcome(4, 91)};
  ASSERT_NE(find_pair(outcomes, outcome(4, 0)), nullptr);
  EXPECT_EQ(find_pair(outcomes, outcome(4, 0))->chosen_value, 91);
  EXPECT_EQ(find_pair(outcomes, outcome(5, 0)), nullptr);
  Outcome other = outcome(4, 0);
  other.metric = "latency";
  EXPECT_EQ(find_pair(outcomes, other), nullptr);
  other = outcome(4, 0);
  other.family = "drift";
  EXPECT_EQ(find_pair(outcomes, other), nullptr);
}

// At least five frames in 0.1 s. The stream stands still from 1 s to 1.5 s: the window has four
// frames from 1.06 s on, and five again at 1.54 s.
TEST(PolicyFigures, SlowSecondsAreThoseWithTooFewFrames) {
  SlowTime slow(0, 0.1, 50);
  for (int i = 1; i <= 100; ++i) slow.frame_left(0.01 * i);
  EXPECT_NEAR(slow.slow_s(), 0, 1e-9);
  for (int i = 150; i <= 200; ++i) slow.frame_left(0.01 * i);
  EXPECT_NEAR(slow.slow_s(), 0.48, 1e-9);

  SlowTime late(0, 0.1, 50);
  late.frame_left(1);
  EXPECT_NEAR(late.slow_s(), 0.9, 1e-9) << "the first window counts as full";
}

class CsvFile : public testing::Test {
 protected:
  ~CsvFile() override { std::filesystem::remove(path_); }
  std::string read(const std::string& text) {
    std::ofstream(path_) << text;
    outcomes_.clear();
    return read_csv(path_, outcomes_);
  }
  const std::string path_ =
      testing::TempDir() + "policy_figures_" + std::to_string(getpid()) + ".csv";
  std::vector<Outcome> outcomes_;
};

TEST_F(CsvFile, HasAllOfAnOutcome) {
  Outcome written = outcome(1'000'003, 1.0 / 3, 0.1);
  written.slow_s = 0.7;
  written.first_20_s = 2.0 / 3;
  written.experiments = 5;
  written.trials = 7;
  written.decided = false;
  ASSERT_EQ(read(csv_header() + '\n' + to_csv(written) + '\n'), "");
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_EQ(to_csv(outcomes_[0]), to_csv(written));
  EXPECT_EQ(outcomes_[0].chosen_value, written.chosen_value);
  EXPECT_EQ(outcomes_[0].first_20_s, written.first_20_s);
  EXPECT_EQ(outcomes_[0].seed, written.seed);
  EXPECT_FALSE(outcomes_[0].decided);
}

TEST_F(CsvFile, IsRefusedWithTheLine) {
  EXPECT_NE(read("seed,value\n"), "");
  const std::string line = to_csv(outcome(1, 90));
  const std::string good = csv_header() + '\n' + line + '\n';
  EXPECT_EQ(read(good), "");
  EXPECT_NE(read(good + "plain,1\n").find("line 3"), std::string::npos);
  EXPECT_NE(read(good + line + ",more\n"), "");
  EXPECT_NE(read(good + "plain,x" + line.substr(7) + '\n'), "");
  Outcome unknown = outcome(1, 90);
  unknown.best_value = 0;
  EXPECT_NE(read(good + to_csv(unknown) + '\n'), "");
  std::filesystem::remove(path_);
  EXPECT_NE(read_csv(path_, outcomes_).find("cannot read"), std::string::npos);
}

TEST(PolicyBench, TheBestOfAFileSparesTheSearch) {
  const Family& family = *find_family("plain");
  const Outcome searched = decide(family, 7, Metric::throughput, nullptr);
  EXPECT_TRUE(searched.decided);
  EXPECT_GE(1 - regret(searched), 0.9);
  EXPECT_GE(searched.experiments, 3);
  EXPECT_GT(searched.training_s, 0);
  EXPECT_GE(searched.training_s, searched.slow_s);
  EXPECT_GT(searched.first_20_s, 0.8);
  EXPECT_LT(searched.first_20_s, 1.05);
  EXPECT_EQ(to_csv(decide(family, 7, Metric::throughput, &searched)), to_csv(searched));
}

TEST(PolicyBench, AFileOfOtherChipsIsRefused) {
  const Family& family = *find_family("plain");
  Outcome other = decide(family, 7, Metric::throughput, nullptr);
  other.best_value *= 1.001;
  EXPECT_THROW(decide(family, 7, Metric::throughput, &other), std::runtime_error);
  other.best = "cccccccc/cg2";
  EXPECT_THROW(decide(family, 7, Metric::throughput, &other), std::runtime_error);
}

}  // namespace
}  // namespace tandem::test
