// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "pipelines/tandem/options/options.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The commands that `tandem --help` lists: "  name   what it does".
std::vector<std::string> commands() {
  std::vector<std::string> names;
  for (const std::string& line : lines_of(run_tandem({"--help"}).output)) {
    if (line.starts_with("  ")) names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

TEST(Help, EveryCommandsHelpIsWithinAHundredColumns) {
  const std::vector<std::string> all = commands();
  ASSERT_GE(all.size(), 7u);
  for (const std::string& name : all) {
    const CommandResult help = run_tandem({name, "--help"});
    EXPECT_EQ(help.status, 0) << name;
    EXPECT_NE(help.output.find("Usage:\n  tandem " + name), std::string::npos) << help.output;
    EXPECT_NE(help.output.find("-h, --help"), std::string::npos) << help.output;
    for (const std::string& line : lines_of(help.output)) {
      EXPECT_LE(g_utf8_strlen(line.c_str(), -1), 100) << name << ": " << line;
    }
  }
  for (const std::string& line : lines_of(run_tandem({"--help"}).output)) {
    EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Help, ComesInEveryPlace) {
  const std::string run = run_tandem({"run", "--help"}).output;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"help", "run"}, {"run", "-h"}, {"run", "vivid", "--help"}, {"run", "srad", "-h"}}) {
    const CommandResult help = run_tandem(words);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.output, run) << testing::PrintToString(words);
  }
}

TEST(Help, EveryUsageErrorNamesItsCommandsHelp) {
  for (const std::string& name : commands()) {
    const CommandResult bad = run_tandem({name, "--no-such-option"});
    EXPECT_EQ(bad.status, 2) << name;
    EXPECT_NE(bad.errors.find("See `tandem " + name + " --help`."), std::string::npos)
        << bad.errors;
  }
  EXPECT_NE(run_tandem({"bogus"}).errors.find("See `tandem --help`."), std::string::npos);
  EXPECT_NE(run_tandem({"help", "bogus"}).errors.find("See `tandem --help`."), std::string::npos);
}

TEST(Help, BreaksLinesUnderTheTextOfAnOption) {
  EXPECT_EQ(wrap_help("  -o, --output=F  one two three\nshort", 22),
            "  -o, --output=F  one\n                  two\n                  three\nshort");
  EXPECT_EQ(wrap_help("one two three four", 9), "one two\nthree\nfour");
  EXPECT_EQ(wrap_help("a_word_that_is_too_long b", 9), "a_word_that_is_too_long\nb");
  EXPECT_EQ(wrap_help("\u00e9\u00e9\u00e9 \u00e9\u00e9\u00e9", 7),
            "\u00e9\u00e9\u00e9 \u00e9\u00e9\u00e9");
  EXPECT_EQ(wrap_help("  --x=F|G\n", 100), "  --x=F|G\n");
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
