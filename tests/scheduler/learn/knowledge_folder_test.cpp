// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep/knowledge_folder.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "files/regular_file.h"
#include "tests/files/special_files.h"
#include "tests/scheduler/learn/kept_knowledge.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

class KnowledgeFolderTest : public KnowledgeTest {
 protected:
  static constexpr int64_t kDay_s = 24 * 3600;

  static std::string bytes_of(const fs::path& file) {
    return read_regular_file(file, 8u << 20).bytes;
  }
  static void write(const fs::path& file, const std::string& text) {
    ASSERT_EQ(replace_file(file, text, Durable::kNo), "");
  }
};

TEST_F(KnowledgeFolderTest, KeepsWhatWasLearntForTheUserAlone) {
  KnowledgeFolder folder = open();
  EXPECT_TRUE(folder.load(example().conditions).empty());
  EXPECT_TRUE(folder.list().empty());
  EXPECT_FALSE(fs::exists(path_)) << "nothing was learnt";
  EXPECT_EQ(folder.store(example()).kept, 1);
  EXPECT_EQ(texts_of(open().load(example().conditions)), texts_of({example()}));
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_all);
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(fs::status(files()[0]).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(folder.take_messages().empty());
}

TEST_F(KnowledgeFolderTest, OneFileHasAllSizesAndCores) {
  Known other_cores = example(600), other_stages = example(600), other_device = example(600);
  other_cores.conditions.cores = 1;
  other_stages.conditions.stages += " bins=9";
  other_device.conditions.device.clear();
  const std::vector<Known> all = {example(600), example(1920), other_cores, other_stages,
                                  other_device};
  EXPECT_EQ(open().store(all).kept, 5);
  EXPECT_EQ(files().size(), 3U);
  EXPECT_EQ(texts_of(open().load(example(80).conditions)),
            texts_of({other_cores, example(600), example(1920)}));
  EXPECT_EQ(open().load(other_stages.conditions).size(), 1U);
  EXPECT_EQ(open().list().size(), 5U);
}

TEST_F(KnowledgeFolderTest, SaysWhatWorkIsKnownWithAnyDevice) {
  EXPECT_FALSE(open().knows_work(example().conditions)) << "there is no folder";
  EXPECT_EQ(open().store(example(600)).kept, 1);
  Conditions other_size = example(1920).conditions, other_stages = other_size;
  other_size.device.clear();
  other_stages.stages += " bins=9";
  EXPECT_TRUE(open().knows_work(other_size));
  EXPECT_FALSE(open().knows_work(other_stages));
  write(files()[0], "no knowledge");
  KnowledgeFolder folder = open();
  EXPECT_FALSE(folder.knows_work(other_size));
  EXPECT_EQ(files().size(), 1U) << "who loads it sets it aside";
  EXPECT_TRUE(folder.take_messages().empty());
}

TEST_F(KnowledgeFolderTest, TheNewerTrainingStays) {
  KnowledgeFolder folder = open();
  Known newer = example(600, 2000), older = example(600, 1000);
  older.facts.observations.pop_back();
  EXPECT_EQ(folder.store(newer).kept, 1);
  EXPECT_EQ(folder.store(older).older, 1);
  EXPECT_EQ(texts_of(folder.list()), texts_of({newer}));
  newer.trained_s = 3000;
  newer.facts.observations.pop_back();
  EXPECT_EQ(folder.store(newer).kept, 1);
  EXPECT_EQ(texts_of(folder.list()), texts_of({newer}));
  // A clock that was ahead once.
  EXPECT_EQ(folder.store(example(600, kNow_s + kDay_s)).kept, 1);
  EXPECT_EQ(folder.store(example(600, kNow_s)).kept, 1);
  EXPECT_EQ(folder.list().at(0).trained_s, kNow_s);
}

TEST_F(KnowledgeFolderTest, ForgetsWhatItIsAskedTo) {
  KnowledgeFolder folder = open();
  Known other = example();
  other.conditions.stages = "GstOther";
  folder.store(std::vector{example(600), example(1920), other});
  const auto wide = [](const Known& known) { return known.conditions.width == 1920; };
  EXPECT_EQ(texts_of(folder.forget(wide)), texts_of({example(1920)}));
  EXPECT_EQ(texts_of(folder.list()), texts_of({other, example(600)}));
  EXPECT_TRUE(folder.forget(wide).empty());
  EXPECT_EQ(folder.forget([](const Known&) { return true; }).size(), 2U);
  EXPECT_TRUE(files().empty());
}

TEST_F(KnowledgeFolderTest, ADamagedFileIsSetAsideAndSaidOnce) {
  KnowledgeFolder folder = open();
  for (const std::string damage : {"", "{\"schema\": 1, ", "{\"schema\": 1}"}) {
    folder.store(example());
    const fs::path file = files().at(0);
    write(file, damage);
    EXPECT_TRUE(folder.load(example().conditions).empty());
    EXPECT_TRUE(folder.load(example().conditions).empty());
    const std::vector<std::string> said = folder.take_messages();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_TRUE(said[0].starts_with(file.string() + ": is damaged (")) << said[0];
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(bytes_of(file.string() + ".bad"), damage);
  }
  EXPECT_EQ(folder.store(example()).kept, 1);
  EXPECT_EQ(files().size(), 2U);
  make_long_file(files().at(0), 3u << 20);
  EXPECT_TRUE(folder.list().empty());
  EXPECT_NE(folder.take_messages().at(0).find("is longer than"), std::string::npos);
}

TEST_F(KnowledgeFolderTest, AnotherSchemaStaysAsItIs) {
  KnowledgeFolder folder = open();
  folder.store(example());
  const fs::path file = files().at(0);
  const std::string later = R"({"schema": 2, "what": "a later Tandem knows"})";
  write(file, later);
  EXPECT_TRUE(folder.load(example().conditions).empty());
  EXPECT_TRUE(folder.list().empty());
  EXPECT_EQ(folder.store(example()).failed, 1);
  EXPECT_TRUE(folder.forget([](const Known&) { return true; }).empty());
  const std::vector<std::string> said = folder.take_messages();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("has schema 2, and this Tandem reads 1; it stays"), std::string::npos);
  // Neither too old nor too much.
  Known other = example();
  other.conditions.stages = "GstOther";
  KnowledgeFolder years_later = open(kNow_s + 5000 * kDay_s);
  EXPECT_EQ(years_later.store(other).kept, 1);
  EXPECT_EQ(bytes_of(file), later);
}

TEST_F(KnowledgeFolderTest, WhatIsNoFileIsLeftAlone) {
  open().store(example());
  const fs::path file = files().at(0);
  std::vector<SpecialFile> all = special_files();
  all.push_back({"link to knowledge", [&](const std::string& path) {
                   write(base_ / "elsewhere", text_of(example()));
                   fs::create_symlink(base_ / "elsewhere", path);
                 }});
  for (const auto& [name, make] : all) {
    fs::remove_all(file);
    make(file.string());
    KnowledgeFolder folder = open();
    EXPECT_TRUE(folder.load(example().conditions).empty()) << name;
    EXPECT_EQ(folder.store(example()).failed, 1) << name;
    EXPECT_TRUE(folder.list().empty()) << name;
    EXPECT_EQ(folder.take_messages().size(), 1U) << name;
    EXPECT_FALSE(fs::is_regular_file(fs::symlink_status(file))) << name;
  }
  fs::remove_all(path_ / ".lock");
  for (const auto& [name, make] : special_files()) {
    make((path_ / ".lock").string());
    EXPECT_EQ(open().store(example()).failed, 1) << name;
    fs::remove_all(path_ / ".lock");
  }
}

TEST_F(KnowledgeFolderTest, AnothersFileIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  open().store(example());
  const fs::path file = files().at(0);
  ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
  const std::string before = bytes_of(file);
  KnowledgeFolder folder = open();
  EXPECT_TRUE(folder.load(example().conditions).empty());
  EXPECT_EQ(folder.store(example()).failed, 1);
  EXPECT_NE(folder.take_messages().at(0).find("belongs to another user"), std::string::npos);
  EXPECT_EQ(bytes_of(file), before);
}

// Files are renamed and removed in it. Whoever can swap it chooses whose.
TEST_F(KnowledgeFolderTest, AFolderThatOthersCanSwapIsNotUsed) {
  open().store(example());
  const std::string damaged = "not knowledge";
  write(files().at(0), damaged);
  const fs::path mine = base_ / "mine";
  fs::rename(path_, mine);
  const auto expect_untouched = [&] {
    KnowledgeFolder folder = open();
    EXPECT_TRUE(folder.load(example().conditions).empty());
    EXPECT_EQ(folder.store(example(80)).failed, 1);
    EXPECT_TRUE(folder.list().empty());
    EXPECT_TRUE(folder.forget([](const Known&) { return true; }).empty());
    const std::vector<std::string> said = folder.take_messages();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_TRUE(said[0].ends_with("; what is learnt is not kept")) << said[0];
  };
  fs::permissions(base_, fs::perms::all);
  fs::create_directory_symlink(mine, path_);
  expect_untouched();
  fs::permissions(base_, fs::perms::owner_all);
  if (geteuid() == 0) {
    ASSERT_EQ(lchown(path_.c_str(), 65534, 65534), 0);
    expect_untouched();
  }
  fs::remove(path_);
  fs::rename(mine, path_);
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(bytes_of(files()[0]), damaged);
}

TEST_F(KnowledgeFolderTest, AFolderThatCannotBeWrittenIsStillRead) {
  fs::permissions(base_, fs::perms::all | fs::perms::sticky_bit);
  as_another_user([&] {
    EXPECT_EQ(open().store(example()).kept, 1);
    fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_exec);
    fs::permissions(path_ / ".lock", fs::perms::owner_read);
    KnowledgeFolder folder = open();
    EXPECT_EQ(folder.load(example().conditions).size(), 1U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(folder.store(example(1920)).failed, 1);
    }
    const std::vector<std::string> said = folder.take_messages();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0],
              path_.string() + ": cannot be locked: Permission denied; what is learnt is not kept");
    EXPECT_TRUE(folder.forget([](const Known&) { return true; }).empty());
    EXPECT_EQ(folder.list().size(), 1U);
    fs::permissions(path_, fs::perms::owner_all);
  });
}

TEST_F(KnowledgeFolderTest, WithoutAFolderNothingIsKept) {
  write(base_ / "file", "no folder");
  for (const std::string& path : {std::string(), (base_ / "file" / "knowledge").string(),
                                  (base_ / "file").string(), std::string("/proc/none/knowledge")}) {
    KnowledgeFolder folder(path);
    EXPECT_TRUE(folder.load(example().conditions).empty()) << path;
    EXPECT_EQ(folder.store(example()).failed, 1) << path;
    EXPECT_TRUE(folder.list().empty()) << path;
    EXPECT_TRUE(folder.forget([](const Known&) { return true; }).empty()) << path;
    EXPECT_EQ(folder.take_messages().size(), path.empty() ? 0U : 1U) << path;
  }
}

TEST_F(KnowledgeFolderTest, AFullDiskKeepsWhatIsThere) {
  open().store(example(600));
  const std::string before = bytes_of(files().at(0));
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 100, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  KnowledgeFolder folder = open();
  EXPECT_EQ(folder.store(example(1920)).failed, 1);
  EXPECT_EQ(folder.store(example(80)).failed, 1);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  const std::vector<std::string> said = folder.take_messages();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("cannot be written: File too large; what is learnt is not kept"),
            std::string::npos);
  ASSERT_EQ(files().size(), 1U) << "an unfinished file is left";
  EXPECT_EQ(bytes_of(files()[0]), before);
}

TEST_F(KnowledgeFolderTest, WhatCouldNotBeReadBackIsNotWritten) {
  KnowledgeFolder folder = open();
  Known odd = example();
  odd.conditions.stages = "GstStage model=\xff";
  EXPECT_EQ(folder.store(odd).failed, 1);
  odd = example();
  odd.conditions.width = 0;
  EXPECT_EQ(folder.store(odd).failed, 1);
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_EQ(folder.take_messages().size(), 2U);
}

TEST_F(KnowledgeFolderTest, WhatIsNotUsedFor180DaysGoes) {
  Known other = example();
  other.conditions.stages = "GstOther";
  open().store(example());
  EXPECT_EQ(open(kNow_s + 100 * kDay_s).load(example().conditions).size(), 1U);
  open(kNow_s + 279 * kDay_s).store(other);
  EXPECT_EQ(open().list().size(), 2U) << "it was used";
  open(kNow_s + 281 * kDay_s).store(other);
  EXPECT_EQ(texts_of(open().list()), texts_of({other}));
}

TEST_F(KnowledgeFolderTest, TheLeastRecentlyUsedGoesBeyondEightMebibytes) {
  Known known = example();
  known.facts.observations.resize(1900, known.facts.observations.back());
  const std::size_t bytes = text_of(known).size();
  ASSERT_GT(bytes, 500000U);
  ASSERT_LT(bytes, 1u << 20);
  const int most = static_cast<int>((8u << 20) / bytes);
  const auto name = [&](int i) { known.conditions.stages = "Gst" + std::to_string(i); };
  for (int i = 0; i < most; ++i) {
    name(i);
    open(kNow_s + i).store(known);
  }
  EXPECT_EQ(static_cast<int>(files().size()), most);
  name(0);
  EXPECT_EQ(open(kNow_s + 100).load(known.conditions).size(), 1U);
  name(most);
  open(kNow_s + 200).store(known);
  EXPECT_EQ(static_cast<int>(files().size()), most);
  EXPECT_EQ(open().load(known.conditions).size(), 1U);
  name(0);
  EXPECT_EQ(open().load(known.conditions).size(), 1U) << "it was used lately";
  name(1);
  EXPECT_EQ(open().load(known.conditions).size(), 0U);
}

TEST_F(KnowledgeFolderTest, TheOldestTrainingsOfALongFileGo) {
  Known known = example();
  known.facts.observations.resize(1900, known.facts.observations.back());
  KnowledgeFolder folder = open();
  for (int i = 0; i < 6; ++i) {
    known.conditions.width = 100 - i;
    known.trained_s = 1000 + i;
    EXPECT_EQ(folder.store(known).kept, 1);
  }
  const std::vector<Known> left = folder.load(known.conditions);
  ASSERT_GE(left.size(), 2U);
  ASSERT_LT(left.size(), 6U);
  EXPECT_EQ(left[0].trained_s, 1005);
  EXPECT_EQ(left[1].trained_s, 1004);
  EXPECT_LE(fs::file_size(files().at(0)), 2u << 20);
}

TEST_F(KnowledgeFolderTest, UnfinishedFilesOfOthersAreRemoved) {
  open().store(example());
  write(path_ / (std::string(kUnfinishedPrefix) + "abcdef"), "{");
  write(path_ / "README", "somebody's");
  open().store(example(80));
  ASSERT_EQ(files().size(), 2U);
  EXPECT_TRUE(fs::exists(path_ / "README"));
}

TEST_F(KnowledgeFolderTest, ThreadsShareIt) {
  KnowledgeFolder folder = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&folder, t] {
      for (int i = 1; i <= 10; ++i) folder.store(example(100 * t + i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(folder.load(example().conditions).size(), 40U);
}

}  // namespace
}  // namespace tandem::test
