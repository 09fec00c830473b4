// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/configuration.h"

#include <gtest/gtest.h>

#include <set>

namespace tandem {
namespace {

TEST(Mapping, ReadsOneLetterAStage) {
  Mapping mapping;
  EXPECT_EQ(parse_mapping("gcc", 3, mapping), "");
  EXPECT_EQ(mapping.device_stages(), 1u);
  EXPECT_TRUE(mapping.any_device());
  EXPECT_FALSE(mapping.decoupled());
  EXPECT_EQ(to_string(mapping), "gcc");
  EXPECT_EQ(parse_mapping("ggg", 3, mapping), "");
  EXPECT_TRUE(mapping.decoupled());
}

TEST(Mapping, HasASideForEachStage) {
  Mapping mapping;
  EXPECT_EQ(parse_mapping("gcih", 4, mapping, 3), "");
  EXPECT_EQ(to_string(mapping), "gcih");
  EXPECT_EQ(mapping.side(2), Side::i);
  EXPECT_EQ(mapping.device_stages(), 13u);
  EXPECT_EQ(mapping.on_devices(), 3);
  EXPECT_FALSE(mapping.decoupled());
  mapping.set(1, Side::h);
  EXPECT_TRUE(mapping.decoupled());
  EXPECT_EQ(to_string(mapping.within(6)), "chic");
  EXPECT_FALSE(mapping == (Mapping{15, 4}));
  EXPECT_EQ(to_string(Mapping{~0u, kMaxStages, Side::i}), std::string(kMaxStages, 'i'));
}

TEST(Mapping, KnowsAsManyLettersAsThereAreKindsOfDevices) {
  Mapping mapping;
  EXPECT_NE(parse_mapping("ghc", 3, mapping).find("only g (device)"), std::string::npos);
  EXPECT_EQ(parse_mapping("ghc", 3, mapping, 2), "");
  EXPECT_NE(parse_mapping("gic", 3, mapping, 2).find("only g, h (devices)"), std::string::npos);
}

TEST(Mapping, SplitsStages) {
  Mapping mapping;
  EXPECT_EQ(parse_mapping("sgcs", 4, mapping, 1, 9), "");
  EXPECT_EQ(to_string(mapping), "sgcs");
  EXPECT_EQ(mapping.split_stages(), 9u);
  EXPECT_EQ(mapping.device_stages(), 2u);
  EXPECT_EQ(mapping.on_devices(), 1);
  EXPECT_TRUE(mapping.split(3));
  EXPECT_TRUE(mapping.any_split());
  EXPECT_TRUE(mapping.any_device());
  EXPECT_FALSE(mapping.decoupled());
  EXPECT_EQ(to_string(mapping.within(3)), "sgcc");
  EXPECT_FALSE((Mapping{7, 3, Side::i}).any_split());
  EXPECT_EQ(to_string(Mapping{~0u, kMaxStages, Side::s}), std::string(kMaxStages, 's'));
}

TEST(Mapping, SaysWhichStageCannotBeSplit) {
  Mapping mapping{5, 3};
  EXPECT_NE(parse_mapping("css", 3, mapping, 1, 3).find("s for stage 3"), std::string::npos);
  EXPECT_NE(parse_mapping("scc", 3, mapping).find("cannot be split"), std::string::npos);
  EXPECT_EQ(to_string(mapping), "gcg");
}

TEST(Mapping, SaysWhatIsWrongAndKeepsTheOldOne) {
  Mapping mapping{5, 3};
  EXPECT_NE(parse_mapping("gc", 3, mapping).find("2 letters"), std::string::npos);
  EXPECT_NE(parse_mapping("gxc", 3, mapping).find("'x'"), std::string::npos);
  EXPECT_NE(parse_mapping("", 3, mapping), "");
  EXPECT_EQ(to_string(mapping), "gcg");
}

TEST(Configuration, IsWrittenAsInThePaper) {
  EXPECT_EQ(to_string(Configuration{{1, 3}, Granularity::coarse, 5}), "gcc/cg5");
  EXPECT_EQ(to_string(Configuration{{7, 3}, Granularity::medium, 5}), "ggg/mg");
  EXPECT_EQ(to_string(Configuration{{0, 3}, Granularity::medium, 5, 1, 2}), "ccc/mg2");
  const Mapping split{7, 3, Side::s};
  EXPECT_EQ(to_string(Configuration{split, Granularity::medium, 5, 1, 1, 37}), "sss/mg/a37");
  EXPECT_EQ(to_string(Configuration{split, Granularity::medium, 5, 2, 4, 5}), "sss/mg4/q2/a5");
  EXPECT_EQ(to_string(Configuration{{7, 3}, Granularity::coarse, 5, 1, 1, 0, 4}), "ggg/cg5/t4");
  EXPECT_EQ(to_string(Configuration{{1, 3}, Granularity::coarse, 5, 2, 1, 0, 16}),
            "gcc/cg5/q2/t16");
  EXPECT_EQ(to_string(Configuration{{0, 3}, Granularity::coarse, 5, 1, 1, 0, 4}), "ccc/cg5");
}

TEST(Configuration, TasksAreReadAsTheyAreWritten) {
  for (const char* text : {"ggg/cg1/t2", "gcc/cg5/q2/t16", "ggg/mg/t4", "gss/mg/t4/a37"}) {
    Configuration read;
    ASSERT_EQ(parse_configuration(text, 3, 11, read), "") << text;
    EXPECT_EQ(to_string(read), text);
    Configuration whole = read;
    whole.tasks = 1;
    EXPECT_FALSE(read == whole);
  }
}

TEST(Constraints, TasksHoldForConfigurationsWithTheDevice) {
  const Constraints allowed{.tasks = 4};
  Configuration configuration{{7, 3}, Granularity::coarse, 1};
  EXPECT_FALSE(allowed(configuration));
  configuration.tasks = 4;
  EXPECT_TRUE(allowed(configuration));
  EXPECT_TRUE(allowed({{0, 3}, Granularity::coarse, 1}));
  EXPECT_EQ(Constraints({.mapping = Mapping{7, 3}, .tasks = 4}).fallback(3, 2).tasks, 4);
}

TEST(Configuration, IsReadAsItIsWritten) {
  constexpr int kLanes[] = {1, 2, 8}, kShares[] = {1, 50, 99};
  for (const Configuration& c : all_configurations(3, 11, 7, kLanes, kMaxLetters, 0, 5, kShares)) {
    Configuration read;
    ASSERT_EQ(parse_configuration(to_string(c), 3, 11, read), "") << to_string(c);
    EXPECT_EQ(read, c) << to_string(c);
    EXPECT_EQ(read.threads, c.threads);
  }
}

TEST(Configuration, WhatIsNoneIsNotRead) {
  for (const char* text : {"",
                           "ggg",
                           "ggg/",
                           "ggg/cg",
                           "ggg/cg0",
                           "ggg/cg6",
                           "ggg/cg01",
                           "ggg/cg-1",
                           "ggg/cg+1",
                           "ggg/cg1 ",
                           "ggg/cg1/",
                           "ggg/cg1/q1",
                           "ggg/cg1/q9",
                           "ggg/cg1/q2/q2",
                           "ggg/cg1/q2/",
                           "ccc/cg1/q2",
                           "ggg/mg/q0",
                           "ggg/mg1",
                           "ggg/mg3",
                           "ggg/mg8",
                           "ggg/mg02",
                           "ggg/mg/a20",
                           "ccc/mg2x",
                           "sss/mg",
                           "sss/mg/a0",
                           "sss/mg/a100",
                           "sss/mg/a07",
                           "sss/mg/a-3",
                           "sss/mg/a37/q2",
                           "sss/mg/a37/a37",
                           "sss/cg2/a37",
                           "sss/mg3/a37",
                           "gg/cg1",
                           "gggg/cg1",
                           "gxg/cg1",
                           "/cg1",
                           "ggg/cg99999999999",
                           "ggg/cg1/q99999999999",
                           "ggg/q2",
                           "ggg/cg1/t1",
                           "ggg/cg1/t17",
                           "ggg/cg1/t2/q2",
                           "ggg/cg1/t02",
                           "ccc/cg1/t2",
                           "ggg/CG1"}) {
    Configuration read{{1, 3}, Granularity::coarse, 2};
    EXPECT_NE(parse_configuration(text, 3, 4, read), "") << text;
    EXPECT_EQ(to_string(read), "gcc/cg2") << text;
  }
}

TEST(Configuration, ThreadsMeanNothingUnderMediumGrain) {
  EXPECT_EQ((Configuration{{1, 3}, Granularity::medium, 2}),
            (Configuration{{1, 3}, Granularity::medium, 3}));
  EXPECT_FALSE((Configuration{{1, 3}, Granularity::coarse, 2}) ==
               (Configuration{{1, 3}, Granularity::coarse, 3}));
}

TEST(Configuration, SaysWhatASplitNeeds) {
  Configuration read;
  const auto problem = [&](const char* text, uint32_t can_split = ~0u) {
    return parse_configuration(text, 3, 4, read, can_split);
  };
  EXPECT_NE(problem("sss/mg/a100").find("1 to 99"), std::string::npos);
  EXPECT_NE(problem("sss/mg").find("1 to 99"), std::string::npos);
  EXPECT_NE(problem("sss/cg2/a37").find("needs medium grain"), std::string::npos);
  EXPECT_NE(problem("ssc/mg/a37", 1).find("s for stage 2"), std::string::npos);
  EXPECT_EQ(problem("sgc/mg2/a37", 1), "");
  EXPECT_EQ(read.cpu_share, 37);
  EXPECT_EQ(read.frames_at_once, 2);
}

TEST(Configuration, FramesAtATimeNeedACoreEach) {
  Configuration read;
  EXPECT_EQ(parse_configuration("cc/mg4", 2, 4, read), "");
  EXPECT_NE(parse_configuration("cc/mg4", 2, 3, read), "");
}

TEST(Configuration, SharesAndFramesAtATimeTellConfigurationsApart) {
  const Mapping split{3, 2, Side::s};
  const Configuration a{split, Granularity::medium, 5, 1, 1, 37};
  Configuration b = a;
  b.cpu_share = 38;
  EXPECT_FALSE(a == b);
  b = a;
  b.frames_at_once = 2;
  EXPECT_FALSE(a == b);
  // Neither means anything where nothing is split, and under coarse grain.
  EXPECT_EQ((Configuration{{1, 2}, Granularity::coarse, 2, 1, 2, 37}),
            (Configuration{{1, 2}, Granularity::coarse, 2}));
}

// Vilches, section II-B: 48 alternatives for ViVid (s = 3) on four cores, 384 for SRAD (s = 6).
TEST(Configuration, CountsAreThePapers) {
  EXPECT_EQ(all_configurations(3, 4, 7).size(), 48u);
  EXPECT_EQ(all_configurations(6, 4, 63).size(), 384u);
  std::set<std::string> names;
  for (const Configuration& c : all_configurations(3, 2, 7)) names.insert(to_string(c));
  EXPECT_EQ(names.size(), 32u);
}

TEST(Configuration, EachLetterAddsASide) {
  std::set<std::string> names;
  for (const Configuration& c : all_configurations(3, 2, 5, kOneLane, 2)) {
    names.insert(to_string(c));
    EXPECT_FALSE(c.mapping.on_device(1));
  }
  EXPECT_EQ(names.size(), 9u * 4u);
  EXPECT_TRUE(names.contains("gch/cg3"));
}

TEST(Configuration, SplitStagesComeAfterTheOthers) {
  constexpr int kShares[] = {20, 60};
  std::set<std::string> names;
  for (const Configuration& c : all_configurations(3, 3, 7, kOneLane, 1, 0, 3, kShares))
    names.insert(to_string(c));
  EXPECT_EQ(names.size(), 8u * 5u + 2u + 2u * 2u);  // mg2, not mg4; c and g for the third
  EXPECT_TRUE(names.contains("ssg/mg/a60"));
  EXPECT_TRUE(names.contains("ggg/mg2"));
  EXPECT_FALSE(names.contains("ggg/mg4"));
  EXPECT_FALSE(names.contains("gcc/mg2"));
}

TEST(Constraints, ASplitMappingLeavesTheShareOpen) {
  const Mapping split{3, 2, Side::s};
  Constraints allowed{.mapping = split};
  EXPECT_EQ(to_string(allowed.fallback(2, 4)), "ss/mg/a50");
  EXPECT_FALSE(allowed.fixed());
  EXPECT_TRUE(allowed({split, Granularity::medium, 5, 1, 1, 10}));
  allowed.cpu_share = 20;
  EXPECT_EQ(to_string(allowed.fallback(2, 4)), "ss/mg/a20");
  EXPECT_TRUE(allowed.fixed());
  EXPECT_FALSE(allowed({split, Granularity::medium, 5, 1, 1, 10}));
  EXPECT_FALSE((Constraints{.cpu_share = 0})({split, Granularity::medium, 5, 1, 1, 10}));
  EXPECT_TRUE((Constraints{.cpu_share = 0})({{1, 2}, Granularity::medium}));
}

TEST(Constraints, GrainThatIsFixedFixesTheFramesAtATime) {
  const Configuration two{{0, 2}, Granularity::medium, 5, 1, 2};
  EXPECT_TRUE(Constraints{}(two));
  EXPECT_FALSE((Constraints{.granularity = Granularity::medium})(two));
  const Constraints allowed{.granularity = Granularity::medium, .frames_at_once = 2};
  EXPECT_TRUE(allowed(two));
  EXPECT_EQ(to_string(allowed.fallback(2, 4)), "cc/mg2");
}

TEST(Constraints, SaysWhatCannotBeAtTheSameTime) {
  const Mapping split{3, 2, Side::s};
  const auto says = [](const Constraints& allowed, const char* text) {
    return allowed.contradiction().find(text) != std::string::npos;
  };
  EXPECT_EQ((Constraints{.mapping = split}).contradiction(), "");
  EXPECT_EQ((Constraints{.mapping = Mapping{1, 2}, .cpu_share = 0}).contradiction(), "");
  EXPECT_TRUE(says({.mapping = split, .granularity = Granularity::coarse}, "needs medium grain"));
  EXPECT_TRUE(says({.mapping = split, .threads = 2}, "needs medium grain"));
  EXPECT_TRUE(says({.mapping = split, .cpu_share = 0}, "nothing may be split"));
  EXPECT_TRUE(says({.mapping = split, .cpu_share = 100}, "1 to 99"));
}

TEST(Configuration, StagesWithoutADeviceStayOnTheCpu) {
  for (const Configuration& c : all_configurations(2, 2, 1)) EXPECT_FALSE(c.mapping.on_device(1));
  EXPECT_EQ(all_configurations(2, 2, 1).size(), 8u);
}

TEST(Configuration, StagesWithoutACpuImplementationStayOnTheDevice) {
  const auto all = all_configurations(3, 2, 7, kOneLane, 1, 2);
  for (const Configuration& c : all) EXPECT_TRUE(c.mapping.on_device(1)) << to_string(c);
  EXPECT_EQ(all.size(), 16u);
  const Constraints allowed{.device_only = 2};
  EXPECT_EQ(to_string(allowed.fallback(3, 2)), "cgc/cg3");
  EXPECT_TRUE(allowed({{6, 3}, Granularity::medium}));
  EXPECT_FALSE(allowed({{5, 3}, Granularity::medium}));
}

}  // namespace
}  // namespace tandem
