// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/util/shared_rows.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <new>
#include <thread>
#include <vector>

namespace tandem {
namespace {

using Part = SharedRows::Part;

/// Counts who computed each row of each step, and who may have written it.
struct Work {
  std::vector<int> rows_of_steps;
  int rows_ahead = 0, rows_to_steal = 8;
  std::function<void(const Part&)> computes = [](const Part&) {};

  int steps() const { return static_cast<int>(rows_of_steps.size()); }
  int rows(int step) const { return rows_of_steps[static_cast<std::size_t>(step)]; }
  int ahead() const { return rows_ahead; }
  int least_steal() const { return rows_to_steal; }
  int part() const { return 16; }
  bool awaits(int step) const { return step + 1 < steps() && rows(step + 1) >= 2 * rows_to_steal; }
  void compute(const Part& part) const { computes(part); }
};

TEST(SharedRows, OneThreadGoesThroughAllStepsFromTheTopDown) {
  SharedRows shared;
  Work work{{100, 30, 1}};
  int step = 0, row = 0;
  work.computes = [&](const Part& part) {
    if (part.step != step) {
      EXPECT_EQ(row, work.rows(step));
      EXPECT_EQ(part.step, ++step);
      row = 0;
    }
    EXPECT_EQ(part.rows.begin, row);
    EXPECT_EQ(part.goes_on, row > 0);
    EXPECT_GE(part.until, part.rows.end);
    row = part.rows.end;
  };
  shared.share(work, {});
  EXPECT_EQ(step, 2);
  EXPECT_EQ(row, 1);
  EXPECT_TRUE(shared.is_done(3));
}

TEST(SharedRows, AnotherThreadTakesTheLowerHalfAndGoesOnThere) {
  SharedRows shared;
  Work first{{200}, 20}, second = first;
  std::vector<Part> firsts, seconds;
  std::atomic<bool> leave{false};
  second.computes = [&](const Part& part) {
    seconds.push_back(part);
    leave = part.rows.end == 200;  // before it comes back for more
  };
  first.computes = [&](const Part& part) {
    if (firsts.empty()) shared.share(second, Stop(leave));  // comes meanwhile
    firsts.push_back(part);
  };
  shared.share(first, {});
  ASSERT_FALSE(seconds.empty());
  const int cut = seconds.front().rows.begin;
  EXPECT_NEAR(cut, 100, 16);
  EXPECT_FALSE(seconds.front().goes_on);
  EXPECT_EQ(firsts.back().rows.end, cut);
  for (const Part& part : firsts) EXPECT_LE(part.until, cut);
  for (std::size_t i = 1; i < seconds.size(); ++i) EXPECT_TRUE(seconds[i].goes_on);
  EXPECT_EQ(seconds.back().rows.end, 200);
}

TEST(SharedRows, NobodyTakesWhatIsNotWorthIt) {
  SharedRows shared;
  Work first{{60}, 20, 30}, second = first;
  bool came = false;
  second.computes = [&](const Part&) { came = true; };
  first.computes = [&](const Part& part) {
    if (part.rows.begin == 0) shared.share(second, {});
  };
  shared.share(first, {});
  EXPECT_FALSE(came);
}

TEST(SharedRows, NobodyTakesRowsThatMayBeWritten) {
  SharedRows shared;
  Work first{{200}, 150}, second = first;
  int written = 0, taken = 200;
  second.computes = [&](const Part& part) { taken = std::min(taken, part.rows.begin); };
  first.computes = [&](const Part& part) {
    written = std::max(written, part.until);
    if (part.rows.begin == 0) shared.share(second, {});
  };
  shared.share(first, {});
  EXPECT_LT(taken, 200);
  EXPECT_LE(written, taken);
}

TEST(SharedRows, ManyThreadsComputeEachRowOnceAndStepsInOrder) {
  for (int round = 0; round < 50; ++round) {
    SharedRows shared;
    std::vector<std::vector<int>> counts{std::vector<int>(500), std::vector<int>(300),
                                         std::vector<int>(16)};  // plain: rows are of one thread
    Work work{{500, 300, 16}, 10, 20};
    work.computes = [&](const Part& part) {
      const auto step = static_cast<std::size_t>(part.step);
      if (step > 0) {
        for (const int count : counts[step - 1]) ASSERT_EQ(count, 1);
      }
      for (int y = part.rows.begin; y < part.rows.end; ++y)
        ++counts[step][static_cast<std::size_t>(y)];
      std::this_thread::yield();
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 40; ++i) threads.emplace_back([&] { shared.share(work, {}); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& step : counts)
      for (const int count : step) ASSERT_EQ(count, 1);
  }
}

/// A thread that comes while another one computes the first step, which is not worth sharing.
struct Waiter {
  SharedRows shared;
  Work work{{16, 200}};
  std::atomic<bool> stop{false};
  std::chrono::nanoseconds processor_time{0};
  std::thread thread;

  /// Gives it time to fall asleep.
  void come() {
    thread = std::thread([this] {
      Work quick = work;
      quick.computes = [](const Part&) {};
      shared.share(quick, Stop(stop));
      timespec time;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      processor_time = std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
};

TEST(SharedRows, AThreadThatWaitsLongSleeps) {
  Waiter waiter;
  waiter.work.computes = [&](const Part& part) {
    if (part.step == 0) waiter.come();
  };
  waiter.shared.share(waiter.work, {});
  waiter.thread.join();
  EXPECT_LT(waiter.processor_time, std::chrono::milliseconds(50));
}

TEST(SharedRows, StopWakesThoseWhoWait) {
  Waiter waiter;
  waiter.work.computes = [&](const Part&) {
    waiter.come();
    waiter.stop = true;
  };
  waiter.shared.share(waiter.work, Stop(waiter.stop));
  waiter.thread.join();
}

TEST(SharedRows, AnExceptionWakesThoseWhoWait) {
  Waiter waiter;
  waiter.work.computes = [&](const Part&) {
    waiter.come();
    throw std::bad_alloc();
  };
  EXPECT_THROW(waiter.shared.share(waiter.work, {}), std::bad_alloc);
  waiter.thread.join();
}

TEST(SharedRows, StopEndsIt) {
  SharedRows shared;
  std::atomic<bool> stop{false};
  Work work{{1000}};
  int parts = 0;
  work.computes = [&](const Part&) { stop = ++parts == 3; };
  shared.share(work, Stop(stop));
  EXPECT_EQ(parts, 3);
  EXPECT_FALSE(shared.is_done(1));
}

}  // namespace
}  // namespace tandem
