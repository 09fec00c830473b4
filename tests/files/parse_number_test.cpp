// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/parse_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace tandem {
namespace {

TEST(ParseNumber, ReadsTheWholeText) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<double>("0.25"), 0.25);
  EXPECT_EQ(parse_number<double>("1e3"), 1000);
  EXPECT_EQ(parse_number<uint8_t>("fF", 16), 255);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x1", "one", "-"}) {
    EXPECT_FALSE(parse_number<int>(text)) << text;
    EXPECT_FALSE(parse_number<double>(text)) << text;
  }
  EXPECT_FALSE(parse_number<double>("1e3", std::chars_format::fixed));
  EXPECT_FALSE(parse_number<int>("1.5"));
}

TEST(ParseNumber, RefusesValuesThatTheTypeHasNot) {
  EXPECT_FALSE(parse_number<uint8_t>("256"));
  EXPECT_FALSE(parse_number<unsigned>("-1"));
  EXPECT_FALSE(parse_number<double>("1e999"));
  EXPECT_TRUE(std::isinf(parse_number<double>("inf").value()));
}

}  // namespace
}  // namespace tandem
