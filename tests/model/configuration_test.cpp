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
}

TEST(Configuration, IsReadAsItIsWritten) {
  constexpr int kLanes[] = {1, 2, 8};
  for (const Configuration& c : all_configurations(3, 11, 7, kLanes, kMaxLetters)) {
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
                           "ggg/mg3",
                           "gg/cg1",
                           "gggg/cg1",
                           "gxg/cg1",
                           "/cg1",
                           "ggg/cg99999999999",
                           "ggg/cg1/q99999999999",
                           "ggg/q2",
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

// Paper 1, section II-B: 48 alternatives for ViVid (s = 3) on four cores, 384 for SRAD (s = 6).
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

TEST(Configuration, StagesWithoutADeviceStayOnTheCpu) {
  for (const Configuration& c : all_configurations(2, 2, 1)) EXPECT_FALSE(c.mapping.on_device(1));
  EXPECT_EQ(all_configurations(2, 2, 1).size(), 8u);
}

TEST(Configuration, StagesWithoutACpuImplementationStayOnTheDevice) {
  const auto all = all_configurations(3, 2, 7, kOneLane, 1, 2);
  for (const Configuration& c : all) EXPECT_TRUE(c.mapping.on_device(1)) << to_string(c);
  EXPECT_EQ(all.size(), 16u);
  const Allowed allowed{.device_only = 2};
  EXPECT_EQ(to_string(allowed.fallback(3, 2)), "cgc/cg3");
  EXPECT_TRUE(allowed({{6, 3}, Granularity::medium}));
  EXPECT_FALSE(allowed({{5, 3}, Granularity::medium}));
}

}  // namespace
}  // namespace tandem
