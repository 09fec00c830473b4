// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include "pipelines/report/page.h"

namespace tandem::test {
namespace {

// Measured: c/cg1 100, c/mg 200, g/cg1 250 frames/s, at 2, 1 and 4 J. Chosen: c/mg.
BenchFile example() {
  BenchFile bench;
  bench.metric = "throughput";
  bench.configurations = {{"c/cg1", "c", 1, {100, 2}, {110, 2}},
                          {"c/mg", "c", 0, {200, 1}, {190, 1}},
                          {"g/cg1", "g", 1, {250, 4}, {150, 4}}};
  bench.chosen = BenchFile::Pick{"c/mg", {200, 1}, 0.8, {220, 1}};
  bench.best = BenchFile::Pick{"g/cg1", {250, 4}};
  bench.training = BenchFile::Training{5, 100, 1.5, 3, {}};
  return bench;
}

std::string sentences(const BenchFile& bench) { return choice_sentences(bench, metrics_of(bench)); }

TEST(ReportChoice, LostBecauseTheModelExpectedLessOfTheBest) {
  EXPECT_EQ(sentences(example()),
            "tandembin chose c/mg, which reaches 80.0% of the best: 200 frames/s, g/cg1 250 "
            "frames/s. When it decided it expected 220 frames/s (10.0% more than was measured). "
            "Before, it had made 5 experiments and 3 trials. Of g/cg1 the model "
            "predicted 150 frames/s (40.0% less than was measured), which is less good than what "
            "was expected of c/mg.");
}

TEST(ReportChoice, ByLatencyLessIsBetter) {
  BenchFile bench = example();
  bench.metric = "latency";
  bench.chosen->measured.latency_ms = 5;
  bench.chosen->predicted.latency_ms = 6;
  bench.best->measured.latency_ms = 4;
  EXPECT_NE(sentences(bench).find("tandembin chose c/mg, which reaches 80.0% of the best: 5.00 ms, "
                                  "g/cg1 4.00 ms. When it decided it expected 6.00 ms (20.0% more"),
            std::string::npos)
      << sentences(bench);
}

TEST(ReportChoice, LostBecauseTrainingSawLessOfTheBest) {
  BenchFile bench = example();
  bench.training->ranking = {{"c/mg", {220, 1}}, {"g/cg1", {200, 4}}};
  EXPECT_NE(sentences(bench).find("g/cg1 was known when training ended, with 200 frames/s (20.0% "
                                  "less than was measured): less good than c/mg was then."),
            std::string::npos)
      << sentences(bench);
  bench.training->ranking[1].expected.throughput_fps = 221;
  EXPECT_NE(sentences(bench).find(": too little better than c/mg"), std::string::npos)
      << sentences(bench);
}

TEST(ReportChoice, LostAlthoughTheModelExpectedMore) {
  BenchFile bench = example();
  bench.configurations[2].predicted.throughput_fps = 250;
  EXPECT_NE(sentences(bench).find("predicted 250 frames/s (as measured), which is better than what "
                                  "was expected of c/mg; the file has no results of trials"),
            std::string::npos)
      << sentences(bench);
  bench.training->ranking = {{"c/mg", {220, 1}}};
  EXPECT_NE(sentences(bench).find("after the trials it was not among the best five any more."),
            std::string::npos)
      << sentences(bench);
}

TEST(ReportChoice, Won) {
  BenchFile bench = example();
  bench.chosen = BenchFile::Pick{"g/cg1", {250, 4}, 1, {225, 4}};
  bench.training = BenchFile::Training{1, 100, 1.5, 0, {{"g/cg1", {225, 4}}, {"c/mg", {190, 1}}}};
  EXPECT_EQ(sentences(bench),
            "tandembin chose g/cg1, and it is the best of the 3 configurations that were measured: "
            "250 frames/s. When it decided it expected 225 frames/s (10.0% less than was "
            "measured). Before, it had made 1 experiment and no trial. Next to it in "
            "training was c/mg, with 190 frames/s.");
}

TEST(ReportChoice, LessEnergyIsBetter) {
  BenchFile bench = example();
  bench.metric = "energy";
  bench.chosen = BenchFile::Pick{"c/cg1", {100, 2}, 0.5, {110, 1.5}};
  bench.best = BenchFile::Pick{"c/mg", {200, 1}};
  bench.configurations[1].predicted.energy_j = 3;
  const std::string text = sentences(bench);
  EXPECT_NE(text.find("reaches 50.0% of the best: 2.00 J/frame, c/mg 1.00 J/frame. When it decided "
                      "it expected 1.50 J/frame (25.0% less than was measured)."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Of c/mg the model predicted 3.00 J/frame (200.0% more than was measured), "
                      "which is less good"),
            std::string::npos)
      << text;
}

TEST(ReportChoice, SaysWhatTheChoiceWasExpectedToLose) {
  BenchFile bench = example();
  bench.training->expected_loss = 0.004;
  EXPECT_NE(sentences(bench).find("measured). It expected to lose 0.4% on average to a better "
                                  "configuration. Before, it had made"),
            std::string::npos)
      << sentences(bench);
}

TEST(ReportChoice, SaysWhatTheFileTells) {
  BenchFile bench = example();
  bench.training = {};
  bench.chosen->predicted.throughput_fps = {};
  for (BenchFile::Configuration& c : bench.configurations) c.predicted.throughput_fps = {};
  EXPECT_EQ(sentences(bench),
            "tandembin chose c/mg, which reaches 80.0% of the best: 200 frames/s, g/cg1 250 "
            "frames/s.");
  bench.chosen->measured.throughput_fps = {};
  EXPECT_EQ(sentences(bench), "");
  bench.chosen = {};
  EXPECT_EQ(sentences(bench), "");
}

}  // namespace
}  // namespace tandem::test
