// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/check_stage/child_work.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace tandem {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 60s;

// The child ends here, whatever becomes of the work.
ChildEnd run(Doing& doing, const std::function<int()>& work) {
  const ChildEnd end = run_in_child(doing, work);
  if (end.is_child) _exit(end.status);
  return end;
}

TEST(ChildWork, SaysHowItEnded) {
  Doing doing;
  EXPECT_EQ(run(doing, [] { return 3; }).status, 3);
  const ChildEnd crashed = run(doing, [&]() -> int {
    doing.begin("crashing", 7, kPatience);
    raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(crashed.signal, SIGKILL);
  EXPECT_FALSE(crashed.timed_out);
  EXPECT_EQ(doing.text(), "crashing");
  EXPECT_EQ(doing.step(), 7);
}

TEST(ChildWork, EachStepHasATimeOfItsOwn) {
  Doing doing;
  const ChildEnd end = run(doing, [&]() -> int {
    for (int step = 0; step < 4; ++step) {
      doing.begin("a short step", step, kPatience);
      std::this_thread::sleep_for(20ms);
    }
    doing.begin("a long step", 9, 1s);
    signal(SIGALRM, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
  });
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(doing.text(), "a long step");
  EXPECT_EQ(doing.step(), 9);
  EXPECT_EQ(doing.most(), 1s);
}

// A compiler in a group or a session of its own.
TEST(ChildWork, NothingThatItStartedOutlivesIt) {
  std::string folder = (std::filesystem::temp_directory_path() / "tandem-work-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string list = folder + "/processes";
  const std::string start = "for i in 1 2; do setsid sh -c 'sleep 600 & echo $! >> " + list +
                            "; wait' > /dev/null 2>&1 & done; while [ \"$(wc -l < " + list +
                            ")\" -lt 2 ]; do sleep 0.01; done";
  for (const bool returns : {true, false}) {
    Doing doing;
    std::ofstream(list).close();
    const ChildEnd end = run(doing, [&] {
      doing.begin("starting others", 0, kPatience);
      const int status = system(start.c_str());
      if (returns) return status;
      doing.begin("waiting", 1, 1s);
      for (;;) pause();
    });
    EXPECT_EQ(end.timed_out, !returns);
    std::ifstream file(list);
    int seen = 0;
    for (pid_t process = 0; file >> process; ++seen) {
      EXPECT_EQ(kill(process, 0), -1) << process;
      kill(process, SIGKILL);
    }
    EXPECT_EQ(seen, 2);
    std::filesystem::remove(list);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tandem
