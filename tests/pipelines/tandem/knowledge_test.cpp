// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>

#include "pipelines/tandem/knowledge/knowledge_text.h"
#include "tests/pipelines/support/command.h"
#include "tests/scheduler/learn/kept_knowledge.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

class KnowledgeCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    setenv("TANDEM_CACHE_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TANDEM_CACHE_DIR");
    fs::remove_all(folder_);
  }

  KnowledgeFolder folder() const { return KnowledgeFolder(folder_ + "/knowledge"); }
  static int64_t days_ago(int days) {
    return KnowledgeFolder::wall_clock_s() - (24 * days + 1) * 3600LL;
  }
  static CommandResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "knowledge");
    return run_tandem(words);
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  std::string folder_;
};

TEST_F(KnowledgeCommand, PathIsInTheCache) {
  EXPECT_EQ(run({"path"}).output, folder_ + "/knowledge\n");
  EXPECT_EQ(run({"path", "--folder", "/somewhere"}).output, "/somewhere\n");
  EXPECT_FALSE(fs::exists(folder_ + "/knowledge"));
}

TEST_F(KnowledgeCommand, ListHasALineAnEntry) {
  EXPECT_EQ(run({"list"}).output, "Nothing has been learned yet.\n");
  folder().store(std::vector{example(600, days_ago(3)), example(1920, days_ago(0))});
  const CommandResult result = run({"list"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output,
            "   format      size  cores  chosen     frames/s     age  device    stages\n"
            "1  I420     600x416      2  gg/cg2/q2    240.50  3 days  a device  "
            "vividfilter ! vividhistogram\n"
            "2  I420    1920x416      2  gg/cg2/q2    240.50  60 min  a device  "
            "vividfilter ! vividhistogram\n");
}

TEST_F(KnowledgeCommand, ShowTellsWhatWasMeasuredAndTried) {
  folder().store(example(600, days_ago(3)));
  const CommandResult result = run({"show", "1"});
  EXPECT_EQ(result.status, 0) << result.errors;
  for (const char* part :
       {"GstVividFilter scales=3 ! GstVividHistogram", "I420 600x416", "a device, driver 1",
        "3 days ago", "efficiency, at least 25 frames/s", "gg/cg2/q2; expected: 240.50 frames/s, -",
        "gg/cg1/q2      experiment     100    250.00  10.6", "beside", "glance", "look", "5, 5"}) {
    EXPECT_TRUE(has(result.output, part)) << part << "\n" << result.output;
  }
}

TEST_F(KnowledgeCommand, ForgetSaysWhatItRemoved) {
  const auto fill = [&] {
    folder().store(std::vector{example(80, days_ago(40)), example(600, days_ago(20)),
                               example(1920, days_ago(1))});
  };
  fill();
  EXPECT_EQ(run({"forget", "2"}).output,
            "forgot vividfilter ! vividhistogram, I420 600x416, 2 cores, a device\n");
  EXPECT_EQ(folder().list().size(), 2U);
  fill();
  EXPECT_TRUE(has(run({"forget", "--older-than", "30"}).output, "80x416"));
  EXPECT_EQ(folder().list().size(), 2U);
  EXPECT_EQ(run({"forget", "--older-than", "30"}).output,
            "No entry matches: nothing was removed.\n");
  fill();
  EXPECT_EQ(run({"forget", "1", "3"}).status, 0);
  EXPECT_EQ(folder().list().at(0).conditions.width, 600);
  fill();
  EXPECT_EQ(run({"forget", "all"}).status, 0);
  EXPECT_TRUE(folder().list().empty());
}

TEST_F(KnowledgeCommand, WhatIsExportedCanBeImported) {
  const std::string file = folder_ + "/all.json";
  folder().store(std::vector{example(600, days_ago(3)), example(1920, days_ago(3))});
  const std::vector<std::string> before = texts_of(folder().list());
  ASSERT_EQ(run({"export", file}).status, 0);
  EXPECT_EQ(run({"export", "-"}).output, read_file(file));
  folder().forget([](const Known& known) { return known.conditions.width == 600; });
  folder().store(example(1920, days_ago(1)));
  const CommandResult result = run({"import", file});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "imported 1 of 2; 1 older than the stored entry\n");
  EXPECT_EQ(run({"import", file, "--folder", folder_ + "/other"}).output, "imported 2 of 2\n");
  EXPECT_EQ(texts_of(KnowledgeFolder(folder_ + "/other").list()), before);
}

TEST_F(KnowledgeCommand, ImportTakesNothingOfADamagedFile) {
  const std::string file = folder_ + "/all.json";
  std::string text = write_knowledge(std::vector{example(600), example(1920)});
  text.replace(text.find("\"width\":1920"), 12, "\"width\":0");
  write_file(file, text);
  const CommandResult result = run({"import", file});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(has(result.errors, "all.json': field 'entries[1].width' is 0")) << result.errors;
  EXPECT_TRUE(has(result.errors, "tandem knowledge export FILE")) << result.errors;
  EXPECT_TRUE(folder().list().empty());
  EXPECT_EQ(read_file(file), text) << "it is not ours to rename";
}

TEST_F(KnowledgeCommand, DamageIsSaid) {
  folder().store(example());
  for (const auto& entry : fs::directory_iterator(folder_ + "/knowledge"))
    if (entry.path().extension() == ".json") write_file(entry.path(), "{");
  const CommandResult result = run({"list"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(has(result.errors, "is damaged (is not JSON")) << result.errors;
  EXPECT_EQ(run({"list"}).errors, "");
}

TEST_F(KnowledgeCommand, BadWords) {
  folder().store(example());
  const struct {
    std::vector<std::string> words;
    int status;
    const char* says;
  } cases[] = {
      {{}, 2, "as in: tandem knowledge list"},
      {{"lsit"}, 2, "did you mean 'list'?"},
      {{"list", "1"}, 2, "'1' is not expected here"},
      {{"show"}, 2, "as in: tandem knowledge show 1"},
      {{"show", "x"}, 2, "'x' is not the number of an entry"},
      {{"show", "-1"}, 2, "-1"},
      {{"show", "0"}, 1, "there is no entry 0: there are 1"},
      {{"show", "2"}, 1, "`tandem knowledge list` lists"},
      {{"forget"}, 2, "needs numbers of entries, `all` or --older-than DAYS"},
      {{"forget", "1", "--older-than", "1"}, 2, "needs numbers of entries"},
      {{"forget", "1", "9"}, 1, "there is no entry 9"},
      {{"forget", "--older-than", "-1"}, 2, "below 0"},
      {{"forget", "--older-then", "1"}, 2, "did you mean '--older-than'?"},
      {{"list", "--older-than", "1"}, 2, "goes with forget alone"},
      {{"export"}, 2, "tandem knowledge export knowledge.json"},
      {{"export", folder_ + "/no/file"}, 1, "mkdir -p"},
      {{"import", folder_ + "/none"}, 1, "No such file"},
      {{"import", folder_}, 1, "is not a regular file"},
      {{"path", "x"}, 2, "'x' is not expected here"},
  };
  for (const auto& [words, status, says] : cases) {
    const CommandResult result = run(words);
    const std::string about = testing::PrintToString(words) + ": " + result.errors;
    EXPECT_EQ(result.status, status) << about;
    EXPECT_TRUE(has(result.errors, says)) << about;
    if (status == 2) {
      EXPECT_TRUE(has(result.errors, "See `tandem knowledge --help`.")) << about;
    }
  }
  EXPECT_EQ(folder().list().size(), 1U);
}

TEST(KnowledgeText, NamesAndAges) {
  EXPECT_EQ(element_names("GstVividFilter scales=3 model=\"a b\" ! GstTandemX ! Y"),
            "vividfilter ! x ! y");
  EXPECT_EQ(element_names(""), "");
  EXPECT_EQ(age_text(-5), "0 min");
  EXPECT_EQ(age_text(7199), "119 min");
  EXPECT_EQ(age_text(7200), "2 h");
  EXPECT_EQ(age_text(172800), "2 days");
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
