// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include "pipelines/generate/write/dependencies.h"
#include "pipelines/streams/evaluate.h"
#include "pipelines/streams/evaluation_page.h"
#include "pipelines/streams/stream_model_file.h"
#include "tests/pipelines/streams/tables.h"

namespace tandem::streams {
namespace {

std::string problem_of(const std::string& text) {
  try {
    read_samples(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return at == text.npos ? text : text.replace(at, what.size(), by);
}

TEST(Samples, AreReadAsTheyWereWritten) {
  SampleTable table = known_machine(2);
  table.samples[1].left_out = "32 tasks: \"few\" rows";
  const std::string text = write_samples(table);
  EXPECT_EQ(write_samples(read_samples(text)), text);
  const SampleTable read = read_samples(text);
  EXPECT_EQ(read.samples[1].left_out, table.samples[1].left_out);
  EXPECT_EQ(read.samples[1].find(2, 4)->median_ns, table.samples[1].find(2, 4)->median_ns);
  EXPECT_EQ(read.samples[1].find(3, 4), nullptr);
}

TEST(Samples, DamageIsTold) {
  const std::string text = write_samples(known_machine(1));
  EXPECT_EQ(problem_of(text), "");
  EXPECT_NE(problem_of(text.substr(0, text.size() / 2)), "");
  EXPECT_NE(problem_of("{}"), "");
  EXPECT_NE(problem_of("[]"), "");
  EXPECT_NE(problem_of(replaced(text, "\"schema\": 1", "\"schema\": 2")).find("version"),
            std::string::npos);
  EXPECT_NE(problem_of(replaced(text, "[1,1,", "[0,1,")).find("grid[0]"), std::string::npos);
  EXPECT_NE(problem_of(replaced(text, "[1,2,", "[1,1,")).find("twice"), std::string::npos);
  EXPECT_NE(problem_of(replaced(text, "n=1", "n=0")).find("twice"), std::string::npos);
}

StreamModelFile small_file() {
  const SampleTable table = known_machine(4);
  TrainOptions options;
  options.network.epochs = 5;
  return {.origin = table.origin,
          .samples = 16,
          .candidates = {{1, 1}, {2, 4}},
          .model = train_model(measured(table), options)};
}

TEST(ModelFiles, AnswerAsTheModelDoes) {
  const StreamModelFile file = small_file();
  const std::string text = write_stream_model(file);
  EXPECT_LT(text.size(), kMostStreamModelBytes);
  const StreamModelFile read = read_stream_model(text);
  EXPECT_EQ(write_stream_model(read), text);
  const SampleTable table = known_machine(4);
  for (const Sample& sample : table.samples) {
    const auto features = combined_features(sample.code, sample.run);
    for (const StreamCandidate candidate : file.candidates)
      EXPECT_NEAR(read.model.speed_up(read.model.components_of(features), candidate),
                  file.model.speed_up(file.model.components_of(features), candidate), 1e-4);
  }
}

TEST(ModelFiles, AnyDamagedByteIsTold) {
  const std::string text = write_stream_model(small_file());
  for (std::size_t at = 0; at + 1 < text.size(); at += 37) {
    std::string damaged = text;
    damaged[at] = damaged[at] == '7' ? '8' : '7';
    EXPECT_THROW(read_stream_model(damaged), std::exception)
        << text.substr(at - std::min<std::size_t>(at, 20), 40) << ", byte " << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 3})
    EXPECT_THROW(read_stream_model(text.substr(0, size)), std::exception);
  EXPECT_THROW(read_stream_model(text + std::string(kMostStreamModelBytes, ' ')), std::exception);
}

TEST(Evaluation, FindsWhatIsKnown) {
  const SampleTable table = known_machine(8);
  const Evaluation found = evaluate(table, {}, [](std::size_t, std::size_t) {});
  ASSERT_EQ(found.methods.front().name, "model");
  EXPECT_EQ(found.programs.size(), 8U);
  EXPECT_NEAR(found.best_speed_up, 1.25, 1e-9) << "half of the samples gain a factor of 1.5";
  const auto method = [&](const std::string& name) {
    return *std::ranges::find(found.methods, name, &Evaluation::OfMethod::name);
  };
  EXPECT_GT(method("model").share, 0.99);
  EXPECT_NEAR(method("one stream").share, (1 + 1 / 1.5) / 2, 1e-9);
  EXPECT_LT(method("best constant").share, 0.9);
  const Evaluation::Lead lead = found.lead_over(method("fixed (4, 4)"));
  EXPECT_EQ(lead.ahead, 1);
  EXPECT_EQ(lead.surely_ahead, 1);
  EXPECT_EQ(lead.surely_behind, 0);
  EXPECT_NE(verdict_on_constant(found).find("reaches"), std::string::npos);
  const std::string page = evaluation_page(table, found);
  for (const char* part : {"programa", "best constant", "Importance", "measured", "predicted"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Evaluation, SaysWhenAConstantDoesAsWell) {
  const SampleTable table = known_machine(4, 1.0);
  const Evaluation found = evaluate(table, {}, [](std::size_t, std::size_t) {});
  EXPECT_NE(verdict_on_constant(found).find("does as well"), std::string::npos);
}

TEST(Evaluation, WhatTimingsDoNotKnowIsNoLead) {
  SampleTable table = known_machine(4);
  for (Sample& sample : table.samples)
    for (Timing& timing : sample.grid) timing.interval = 8;
  const Evaluation found = evaluate(table, {}, [](std::size_t, std::size_t) {});
  const auto other = *std::ranges::find(found.methods, "fixed (4, 4)", &Evaluation::OfMethod::name);
  EXPECT_EQ(found.lead_over(other).ahead, 1);
  EXPECT_EQ(found.lead_over(other).surely_ahead, 0);
}

TEST(Evaluation, LeavesVariantsOutTogether) {
  EXPECT_EQ(family_of("convsepr1"), family_of("convsepr8"));
  EXPECT_NE(family_of("gemm"), family_of("syrk"));
  EXPECT_EQ(family_of("7"), "7");
}

TEST(Methods, TheLadderStopsAtSmallGains) {
  Sample sample;
  sample.grid = {
      {1, 1, 100, 100, 0, 5}, {2, 2, 80, 80, 0, 5}, {4, 4, 78, 78, 0, 5}, {8, 8, 10, 10, 0, 5}};
  EXPECT_EQ(climb_ladder(sample), (StreamCandidate{2, 2})) << "2.5% is less than 5%";
}

TEST(Methods, NearestTakesWhatThereIs) {
  Sample sample;
  sample.grid = {{1, 1, 1, 1, 0, 5}, {2, 2, 1, 1, 0, 5}, {4, 4, 1, 1, 0, 5}};
  EXPECT_EQ(nearest(sample, 3.5, 3.5), (StreamCandidate{4, 4}));
  EXPECT_EQ(nearest(sample, 64, 1024), (StreamCandidate{4, 4}));
}

TEST(Dependencies, AreReadAsTheyWereWritten) {
  const StageDependencies dependencies{{{0, "A"}, {1, 64, 0, 0}}, {{2, "rows"}, {8, 8, -1, 2}}};
  EXPECT_EQ(generate::dependencies_line(dependencies),
            "// dependencies: 0.A=1:64 2.rows=8:8:-1:2\n");
  EXPECT_EQ(generate::read_dependencies(generate::dependencies_line(dependencies)), dependencies);
  // The former name of the comment.
  EXPECT_EQ(generate::read_dependencies("// follows: 0.A=1:64 2.rows=8:8:-1:2\n"), dependencies);
  for (const char* bad : {"A=1:2", "0.A=1", "0.A=0:1", "0.A=1:1:2:1", "0.A=1:2:3", "0.A=1:2x"})
    EXPECT_THROW(generate::read_dependencies("// dependencies: " + std::string(bad) + "\n"),
                 std::invalid_argument)
        << bad;
}

}  // namespace
}  // namespace tandem::streams
