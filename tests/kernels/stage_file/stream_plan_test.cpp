// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/stream_plan.h"

#include <gtest/gtest.h>

#include <set>

namespace tandem {
namespace {

using Kind = StreamCommand::Kind;

StagePlan plan_of(const std::string& text) { return plan_stage(parse_stage_file(text, "own.cl")); }

int find_tensor(const StagePlan& plan, const std::string& name) {
  for (std::size_t i = 0; i < plan.tensors.size(); ++i)
    if (plan.tensors[i].name == name && plan.tensors[i].of < 0) return static_cast<int>(i);
  return -1;
}

// Places of commands that are certainly over when the command at `place` begins.
std::set<int> before(const StreamCommands& commands, int place) {
  std::set<int> found;
  std::vector<int> left{place};
  while (!left.empty()) {
    const int at = left.back();
    left.pop_back();
    const StreamCommand& command = commands.all[static_cast<std::size_t>(at)];
    std::vector<int> direct = command.waits;
    for (int earlier = at - 1; earlier >= 0; --earlier) {
      if (commands.all[static_cast<std::size_t>(earlier)].lane != command.lane) continue;
      direct.push_back(earlier);
      break;
    }
    for (const int each : direct)
      if (found.insert(each).second) left.push_back(each);
  }
  return found;
}

// Elements of a tensor that commands of a kind copy, by how often.
std::vector<int> copies_of(const StreamCommands& commands, Kind kind, int tensor, long elements) {
  std::vector<int> counts(static_cast<std::size_t>(elements));
  for (const StreamCommand& command : commands.all)
    if (command.kind == kind && command.tensor == tensor)
      for (long e = command.elements.begin; e < command.elements.end; ++e)
        ++counts[static_cast<std::size_t>(e)];
  return counts;
}

const std::string kBlur =
    "//!STAGE blur\n//!READ in uint8 halo=2\n//!WRITE rows uint8 private\n//!MAP\nrows = in(2, "
    "0);\n"
    "//!READ rows halo=1\n//!WRITE out uint8\n//!MAP\nout = rows(0, 1);\n";

TEST(StreamPlan, CopiesEachElementOnce) {
  const StagePlan plan = plan_of(kBlur);
  for (const StreamSetting setting : {StreamSetting{1, 1}, {1, 4}, {2, 4}, {4, 4}, {3, 6}}) {
    const auto commands = plan_stream(plan, {}, 7, 20, setting);
    ASSERT_EQ(commands.problem, "");
    const std::vector<int> once(7 * 20, 1);
    EXPECT_EQ(copies_of(commands, Kind::kUpload, find_tensor(plan, "in"), 140), once);
    EXPECT_EQ(copies_of(commands, Kind::kDownload, find_tensor(plan, "out"), 140), once);
  }
}

TEST(StreamPlan, DealsTasksToLanesInTurn) {
  const auto commands = plan_stream(plan_of(kBlur), {}, 7, 20, {2, 4});
  std::vector<int> lanes;
  for (const StreamCommand& command : commands.all)
    if (command.kind == Kind::kKernel && command.step == 0) lanes.push_back(command.lane);
  EXPECT_EQ(lanes, (std::vector{0, 1, 0, 1}));
}

TEST(StreamPlan, KernelsBeginWhenWhatTheyReadIsThere) {
  const StagePlan plan = plan_of(kBlur);
  const int in = find_tensor(plan, "in");
  for (const StreamSetting setting : {StreamSetting{2, 4}, {4, 8}, {8, 16}}) {
    const auto commands = plan_stream(plan, {}, 7, 32, setting);
    for (std::size_t i = 0; i < commands.all.size(); ++i) {
      const StreamCommand& kernel = commands.all[i];
      if (kernel.kind != Kind::kKernel) continue;
      const long halo = kernel.step == 0 ? 2 : 1;
      const long first = std::max(0L, kernel.elements.begin / 7 - halo);
      const long last = std::min(31L, (kernel.elements.end - 1) / 7 + halo);
      std::set<long> rows;
      for (const int place : before(commands, static_cast<int>(i))) {
        const StreamCommand& done = commands.all[static_cast<std::size_t>(place)];
        const bool makes = kernel.step == 0 ? done.kind == Kind::kUpload && done.tensor == in
                                            : done.kind == Kind::kKernel && done.step == 0;
        if (makes)
          for (long row = done.elements.begin / 7; row < done.elements.end / 7; ++row)
            rows.insert(row);
      }
      for (long row = first; row <= last; ++row)
        EXPECT_TRUE(rows.contains(row)) << "row " << row << " of step " << kernel.step;
    }
  }
}

TEST(StreamPlan, AnArrayThatIsReadAnywhereIsUploadedFirst) {
  const StagePlan plan = plan_of(
      "//!STAGE own\n//!READ a float32 shape=8,4\n//!WRITE b float32 shape=8\n//!MAP\nb = a[x];\n");
  const auto commands = plan_stream(plan, {}, 1, 1, {2, 4});
  ASSERT_EQ(commands.problem, "");
  EXPECT_EQ(commands.all.front().kind, Kind::kUpload);
  EXPECT_EQ(commands.all.front().elements, (Elements{0, 32}));
  EXPECT_EQ(copies_of(commands, Kind::kUpload, find_tensor(plan, "a"), 32), std::vector(32, 1));
}

TEST(StreamPlan, AnArrayWithADependencyIsUploadedByTask) {
  const StagePlan plan = plan_of(
      "//!STAGE own\n//!READ a float32 shape=8,4\n//!WRITE b float32 shape=8\n//!MAP\nb = a[x];\n");
  const StageDependencies dependencies{{{0, "a"}, {.own = 1, .other = 4, .least = -1, .most = 0}}};
  const auto commands = plan_stream(plan, dependencies, 1, 1, {4, 4});
  std::vector<Elements> uploads;
  for (const StreamCommand& command : commands.all)
    if (command.kind == Kind::kUpload) uploads.push_back(command.elements);
  EXPECT_EQ(uploads, (std::vector<Elements>{{0, 8}, {8, 16}, {16, 24}, {24, 32}}));
  for (const StreamCommand& command : commands.all)
    if (command.kind == Kind::kKernel) {
      EXPECT_EQ(command.waits.size(), command.lane == 0 ? 0U : 1U);
    }
}

TEST(StreamPlan, PassesWaitForTheirNeighbours) {
  const StagePlan plan = plan_of(
      "//!STAGE own\n//!READ in float32\n//!WRITE a float32 halo=1\n//!LOOP 3\n"
      "a = pass == 0 ? in(0, 0) : a(0, -1) + a(0, 1);\n");
  const auto commands = plan_stream(plan, {}, 4, 16, {4, 8});
  std::vector<int> kernels;  // by pass and task
  for (std::size_t i = 0; i < commands.all.size(); ++i)
    if (commands.all[i].kind == Kind::kKernel) kernels.push_back(static_cast<int>(i));
  ASSERT_EQ(kernels.size(), 24U);
  for (std::size_t k = 8; k < 24; ++k) {
    const auto done = before(commands, kernels[k]);
    const std::size_t task = k % 8, pass_before = k - 8 - task;
    for (std::size_t other = task == 0 ? 0 : task - 1; other <= std::min<std::size_t>(task + 1, 7);
         ++other)
      EXPECT_TRUE(done.contains(kernels[pass_before + other])) << k << " after " << other;
  }
  const std::vector<int> once(64, 1);
  EXPECT_EQ(copies_of(commands, Kind::kDownload, find_tensor(plan, "a"), 64), once);
}

TEST(StreamPlan, ReductionsAreCutIntoBlocksAndCombinedOnce) {
  const StagePlan plan = plan_of(
      "//!STAGE own\n//!READ in uint8\n//!WRITE sum int32 shape=1\n//!REDUCE\nsum[0] += in(0, "
      "0);\n");
  const auto commands = plan_stream(plan, {}, 8, 64, {4, 16});
  ASSERT_EQ(commands.problem, "");
  long blocks = 0, combined = 0;
  for (std::size_t i = 0; i < commands.all.size(); ++i) {
    const StreamCommand& command = commands.all[i];
    if (command.kind == Kind::kKernel) blocks += command.elements.count();
    if (command.kind != Kind::kCombine) continue;
    ++combined;
    const auto done = before(commands, static_cast<int>(i));
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_TRUE(commands.all[k].kind != Kind::kKernel || done.contains(static_cast<int>(k)));
  }
  EXPECT_EQ(blocks, kStreamBlocks);
  EXPECT_EQ(combined, 1);
}

TEST(StreamPlan, SaysWhatCannotBeCut) {
  const auto problem = [](const std::string& text, StreamSetting setting) {
    return plan_stream(plan_of(text), {}, 5, 3, setting).problem;
  };
  EXPECT_EQ(problem(kBlur, {1, 3}), "");
  EXPECT_EQ(problem(kBlur, {1, 15}), "") << "pieces of rows";
  EXPECT_NE(problem(kBlur, {1, 4}), "") << "no multiple of the rows";
  EXPECT_NE(problem(kBlur, {1, 30}), "") << "more tasks than elements";
  EXPECT_NE(problem("//!STAGE own\n//!READ luma\n//!WRITE m uint8 kept\n//!MAP\nm = luma(0, 0);\n",
                    {1, 1})
                .find("keeps tensors"),
            std::string::npos);
  const std::string settles =
      "//!STAGE own\n//!READ luma\n//!WRITE m uint8\n//!LOOP 9 settle\nm = luma(0, 0);\n";
  EXPECT_EQ(problem(settles, {1, 1}), "");
  EXPECT_NE(problem(settles, {1, 3}).find("another pass"), std::string::npos);
}

}  // namespace
}  // namespace tandem
