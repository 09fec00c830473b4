// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "tests/scheduler/learn/kept_knowledge.h"

namespace tandem::test {
namespace {

class KnowledgeProcesses : public KnowledgeTest {
 protected:
  /// Runs `call` in a process of its own, whose exit status is what it returns.
  template <class Call>
  static pid_t start(Call&& call) {
    const pid_t child = fork();
    if (child == 0) _exit(call());
    return child;
  }
  static int wait_for(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
  }
};

TEST_F(KnowledgeProcesses, NeitherLosesWhatTheOtherStores) {
  constexpr int kRounds = 50;
  const auto store = [this](int first_width) {
    KnowledgeFolder folder = open();
    for (int i = 0; i < kRounds; ++i)
      if (folder.store(example(first_width + i)).kept != 1) return 1;
    return folder.take_messages().empty() ? 0 : 2;
  };
  const pid_t one = start([&] { return store(1000); });
  const pid_t other = start([&] { return store(2000); });
  EXPECT_EQ(wait_for(one), 0);
  EXPECT_EQ(wait_for(other), 0);
  const std::vector<Known> all = open().load(example().conditions);
  ASSERT_EQ(all.size(), 2U * kRounds);
  for (int i = 0; i < kRounds; ++i) {
    EXPECT_EQ(text_of(all[i]), text_of(example(1000 + i)));
    EXPECT_EQ(text_of(all[kRounds + i]), text_of(example(2000 + i)));
  }
}

// What store() said is kept is there, whenever its process is killed.
TEST_F(KnowledgeProcesses, AProcessThatIsKilledLosesNothingThatWasKept) {
  std::mt19937 random(7);
  int kept = 0;
  for (int round = 0; round < 40; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = start([&] {
      KnowledgeFolder folder = open();
      for (int width = kept + 1;; ++width) {
        if (folder.store(example(width)).kept != 1) return 1;
        if (write(ends[1], "k", 1) != 1) return 2;
      }
    });
    close(ends[1]);
    // However slow it is: it has kept some, and is somewhere in the next.
    for (int some = std::uniform_int_distribution<int>(0, 3)(random); some > 0; --some) {
      char said = 0;
      ASSERT_EQ(read(ends[0], &said, 1), 1);
      ++kept;
    }
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<int>(0, 5000)(random)));
    kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), -1) << "it ended by itself";
    char said[4096];
    for (ssize_t got; (got = read(ends[0], said, sizeof said)) > 0;) kept += static_cast<int>(got);
    close(ends[0]);
    KnowledgeFolder folder = open();
    const std::vector<Known> all = folder.load(example().conditions);
    EXPECT_TRUE(folder.take_messages().empty());
    ASSERT_GE(static_cast<int>(all.size()), kept);
    for (int i = 0; i < kept; ++i) ASSERT_EQ(text_of(all[i]), text_of(example(i + 1)));
    kept = static_cast<int>(all.size());  // what was written just before, and not yet said
  }
  EXPECT_GT(kept, 0);
  open().store(example(kept + 1));
  EXPECT_EQ(files().size(), 1U) << "an unfinished file is left";
}

TEST_F(KnowledgeProcesses, TheLockOfAForkedProcessIsNotKept) {
  open().store(example(600));
  // The child is there while the parent holds and gives back its locks, and longer.
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    KnowledgeFolder folder = open();
    while (!stop) folder.store(example(600));
  });
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(start([] { return pause(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  stop = true;
  busy.join();
  EXPECT_EQ(open().store(example(1920)).kept, 1);
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    wait_for(child);
  }
}

}  // namespace
}  // namespace tandem::test
