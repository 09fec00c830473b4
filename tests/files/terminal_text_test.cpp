// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/terminal_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tandem::test {
namespace {

TEST(TerminalText, LeavesTextAsItIs) {
  for (const char* text :
       {"", "gate.mp4: 12 frames", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "a\\b"})
    EXPECT_EQ(terminal_text(text), text);
}

TEST(TerminalText, ShowsWhatControlsATerminal) {
  EXPECT_EQ(terminal_text("\x1b[2Jgone"), "\\x1b[2Jgone");
  EXPECT_EQ(terminal_text("a\nb\r\x7f"), "a\\x0ab\\x0d\\x7f");
  EXPECT_EQ(terminal_text("\xc2\x9b"
                          "31m"),
            "\\xc2\\x9b"
            "31m");  // CSI in one character
  EXPECT_EQ(terminal_text("\xe2\x80\xae"
                          "x"),
            "\\xe2\\x80\\xae"
            "x");  // right to left
  EXPECT_EQ(terminal_text(std::string_view("\0", 1)), "\\x00");
}

TEST(TerminalText, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(terminal_text("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(terminal_text("\xc0\x9b"), "\\xc0\\x9b");           // ESC in a longer form
  EXPECT_EQ(terminal_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
}

TEST(TerminalText, IsNoLongerThanWanted) {
  const std::string shown = terminal_text(std::string(10'000, 'a'), 100);
  EXPECT_LE(shown.size(), 103U);
  EXPECT_TRUE(shown.ends_with("..."));
}

TEST(TerminalText, HoldsNoControlWhateverComes) {
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 12, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string shown = terminal_text(bytes);
    EXPECT_TRUE(std::ranges::all_of(
        shown, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; }));
    for (std::size_t at = 0; (at = shown.find('\xc2', at)) != shown.npos; ++at)
      EXPECT_GE(static_cast<unsigned char>(shown[at + 1]), 0xa0);
  }
}

}  // namespace
}  // namespace tandem::test
