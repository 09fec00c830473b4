// SPDX-License-Identifier: LGPL-2.1-or-later
// Items that wait to begin make room for newer ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

class ExecutorTakeBack : public ExecutorTest {
 protected:
  // The newest goes on, as with overload=drop: returns the item that left for it, if any.
  static Item* submit_newest(Executor& executor, TestItem& item) {
    Item* older = executor.has_waiting(1) ? executor.take_back() : nullptr;
    EXPECT_TRUE(executor.submit(&item));
    return older;
  }
};

TEST_F(ExecutorTakeBack, ANewerItemTakesThePlaceOfTheOneThatWaits) {
  auto executor = make(2, 1);
  executor->configure({{0, 2}, Granularity::coarse, 1});
  EXPECT_EQ(executor->take_back(), nullptr) << "nothing came";
  std::deque<TestItem> items(4);
  for (int i = 0; i < 4; ++i) items[i].id = i;
  world_.held = 1;  // item 0, in the first stage
  ASSERT_TRUE(executor->submit(&items[0]));
  while (executor->has_waiting(1)) std::this_thread::yield();
  EXPECT_EQ(executor->take_back(), nullptr) << "it has begun";
  EXPECT_EQ(submit_newest(*executor, items[1]), nullptr);
  EXPECT_EQ(submit_newest(*executor, items[2]), &items[1]);
  EXPECT_EQ(submit_newest(*executor, items[3]), &items[2]);
  EXPECT_EQ(executor->stats().in_flight, 2);
  world_.held = 0;
  EXPECT_EQ(executor->take(), &items[0]);
  executor->release();
  EXPECT_EQ(executor->take(), &items[3]);
  executor->release();
  EXPECT_EQ(items[3].sequence, 1u) << "as if the others had never come";
  for (const int gone : {1, 2}) EXPECT_EQ(items[gone].cpu_rows[0][0], 0) << "it was computed";
}

TEST_F(ExecutorTakeBack, NothingIsTakenBackWhileTheSinkHoldsItemsUp) {
  auto executor = make(2, 1);
  executor->configure({{0, 2}, Granularity::coarse, 1});
  executor->set_window(8);
  std::deque<TestItem> items(16);
  std::size_t done = 0;
  for (; done < items.size() && !executor->has_waiting(1); ++done) {
    ASSERT_TRUE(executor->submit(&items[done]));
    while (executor->stats().frames <= done) std::this_thread::yield();
  }
  EXPECT_LT(done, items.size()) << "nobody takes items out";
  EXPECT_EQ(executor->take_back(), nullptr);
  executor->abort();
  EXPECT_EQ(executor->take_back(), nullptr);
  while (executor->take()) executor->release();
}

TEST_F(ExecutorTakeBack, EachItemComesOutOrIsTakenBackInEveryConfiguration) {
  auto executor = make(3, 3, 2);
  std::vector<int> received;
  std::thread sink([&] {
    while (Item* item = executor->take()) {
      EXPECT_EQ(item->sequence, received.size());
      received.push_back(static_cast<TestItem*>(item)->id);
      executor->release();
    }
  });
  std::deque<TestItem> items;
  std::set<int> left;
  std::mt19937 random(5);
  const auto all = all_configurations(3, 3, 7);
  constexpr int kItems = 3000;
  for (int id = 0; id < kItems; ++id) {
    if (id % 50 == 0) executor->configure(all[random() % all.size()]);
    items.emplace_back().id = id;
    if (Item* older = submit_newest(*executor, items.back())) {
      const int gone = static_cast<TestItem*>(older)->id;
      EXPECT_EQ(gone, id - 1);
      left.insert(gone);
    }
    if (random() % 8 == 0) std::this_thread::yield();
  }
  executor->drain();
  executor->abort();
  sink.join();
  EXPECT_FALSE(left.empty());
  EXPECT_EQ(received.size() + left.size(), static_cast<std::size_t>(kItems));
  EXPECT_TRUE(std::ranges::is_sorted(received));
  for (const int id : received) EXPECT_FALSE(left.contains(id)) << id;
  EXPECT_EQ(received.back(), kItems - 1) << "the newest goes on";
}

}  // namespace
}  // namespace tandem
