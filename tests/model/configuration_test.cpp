// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/configuration.h"

#include <gtest/gtest.h>

#include <set>

namespace tandem {
namespace {

TEST(Mapping, ReadsOneLetterAStage) {
  Mapping mapping;
  EXPECT_EQ(parse_mapping("gcc", 3, mapping), "");
  EXPECT_EQ(mapping.device_stages, 1u);
  EXPECT_TRUE(mapping.any_device());
  EXPECT_FALSE(mapping.decoupled());
  EXPECT_EQ(to_string(mapping), "gcc");
  EXPECT_EQ(parse_mapping("ggg", 3, mapping), "");
  EXPECT_TRUE(mapping.decoupled());
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

TEST(Configuration, StagesWithoutADeviceStayOnTheCpu) {
  for (const Configuration& c : all_configurations(2, 2, 1)) EXPECT_FALSE(c.mapping.on_device(1));
  EXPECT_EQ(all_configurations(2, 2, 1).size(), 8u);
}

}  // namespace
}  // namespace tandem
