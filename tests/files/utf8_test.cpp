// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/utf8.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Utf8, TakesWhatIsWellFormed) {
  for (const char* text : {"", "person", "Fu\u00dfg\u00e4nger", "\u6b69\u884c\u8005", "\U0001F6B6",
                           "\x7f", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(text)) << text;
}

TEST(Utf8, RefusesWhatIsNot) {
  for (const char* text :
       {"\xff", "a\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe6\xad", "\xf0\x9f\x9a"})
    EXPECT_FALSE(is_utf8(text)) << testing::PrintToString(text);
  EXPECT_FALSE(is_utf8(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace tandem
