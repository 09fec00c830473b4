// SPDX-License-Identifier: LGPL-2.1-or-later
// Items that take microseconds are handed over several at a time.
#include <gtest/gtest.h>

#include <deque>

#include "scheduler/flow/dispatch.h"

namespace tandem {
namespace {

constexpr uint64_t kShortNs = 5'000, kLongNs = 1'000'000;

/// One stage, two workers, of which the tests use the first.
class DispatchBatch : public testing::Test {
 protected:
  DispatchBatch() { configure({0, 1}); }

  void configure(const Mapping& mapping, int threads = 2) {
    dispatch_.configure({mapping, Granularity::coarse, threads}, {1, 1}, false);
  }
  bool submit() {
    if (!dispatch_.has_space()) return false;
    dispatch_.let_in(&items_.emplace_back(), 0);
    return true;
  }
  int submit_all() {
    int count = 0;
    while (submit()) ++count;
    return count;
  }
  Dispatch::Entry& begin(int worker = 0) { return *dispatch_.work_for(worker, now_ns_, {}).entry; }
  void finish(Dispatch::Entry& entry, uint64_t takes_ns) {
    const Dispatch::Action action = dispatch_.next(entry);
    if (action.kind == Dispatch::Action::Kind::device) {
      dispatch_.sent(entry, action, now_ns_);
      dispatch_.leave_device(entry, now_ns_ + takes_ns);
    }
    EXPECT_FALSE(dispatch_.did(entry, action, {}));
    EXPECT_EQ(dispatch_.next(entry).kind, Dispatch::Action::Kind::finish);
    now_ns_ += takes_ns;
    entry.item->times.end_ns = now_ns_;
    dispatch_.finish(entry);
  }
  void compute(uint64_t takes_ns) { finish(begin(), takes_ns); }
  void take_all() {
    for (; dispatch_.can_take(); dispatch_.release()) dispatch_.take();
  }
  /// Items pass one after the other until it is known how long they take.
  void pass(int count, uint64_t takes_ns) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(submit());
      compute(takes_ns);
      take_all();
    }
    dispatch_.take_wakeups();
  }
  bool wakes(Dispatch::Wakeup who) { return (dispatch_.take_wakeups() & who) != 0; }

  Dispatch dispatch_{{{}}, 2, true};
  std::deque<Item> items_;
  uint64_t now_ns_ = 1;
};

TEST_F(DispatchBatch, AsManyAsWorkersWaitWhereItemsAreLong) {
  pass(10, kLongNs);
  EXPECT_EQ(submit_all(), 2);
}

TEST_F(DispatchBatch, MoreWaitWhereTheyAreShort) {
  pass(10, kShortNs);
  EXPECT_EQ(submit_all(), 2 + 16);
}

TEST_F(DispatchBatch, TheSourceIsWokenForHalfOfABatch) {
  pass(10, kShortNs);
  submit_all();
  dispatch_.source_waits();
  for (int i = 0; i < 8; ++i) {
    compute(kShortNs);
    EXPECT_FALSE(dispatch_.source_should_wake()) << i;
  }
  compute(kShortNs);
  EXPECT_TRUE(dispatch_.source_should_wake());
  EXPECT_EQ(submit_all(), 9);
}

TEST_F(DispatchBatch, TheSinkIsWokenForHalfOfABatchOrForTheLast) {
  pass(10, kShortNs);
  for (int i = 0; i < 10; ++i) submit();
  for (int i = 0; i < 7; ++i) {
    compute(kShortNs);
    EXPECT_TRUE(dispatch_.can_take()) << "a sink that is awake may have it";
    EXPECT_FALSE(wakes(Dispatch::kSink)) << i;
  }
  compute(kShortNs);
  EXPECT_TRUE(wakes(Dispatch::kSink));
  take_all();
  compute(kShortNs);
  EXPECT_FALSE(wakes(Dispatch::kSink)) << "the worker goes on with another one";
  compute(kShortNs);
  EXPECT_TRUE(wakes(Dispatch::kSink));
}

TEST_F(DispatchBatch, TheSinkIsWokenAtOnceWhereTheSourceIsSlow) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(submit());
    compute(kShortNs);
    EXPECT_TRUE(wakes(Dispatch::kSink));
    take_all();
  }
}

TEST_F(DispatchBatch, OneLongItemEndsBatches) {
  pass(10, kShortNs);
  for (int i = 0; i < 10; ++i) submit();
  compute(kShortNs);
  EXPECT_FALSE(wakes(Dispatch::kSink));
  compute(kLongNs);
  EXPECT_TRUE(wakes(Dispatch::kSink));
}

TEST_F(DispatchBatch, AnItemThatWaitsForAnOlderOneIsNotTold) {
  pass(10, kShortNs);
  for (int i = 0; i < 3; ++i) submit();
  Dispatch::Entry &first = begin(), &second = begin(1);
  finish(second, kShortNs);
  EXPECT_FALSE(wakes(Dispatch::kSink));
  compute(kShortNs);
  EXPECT_FALSE(wakes(Dispatch::kSink));
  finish(first, kShortNs);
  EXPECT_TRUE(wakes(Dispatch::kSink));
}

TEST_F(DispatchBatch, ASmallWindowHasNoRoomForBatches) {
  dispatch_.set_window(40);
  pass(10, kShortNs);
  EXPECT_EQ(submit_all(), 2);
}

TEST_F(DispatchBatch, ADeviceTakesThemOneByOne) {
  configure({1, 1});
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(submit());
    compute(kShortNs);
    EXPECT_TRUE(wakes(Dispatch::kSink));
    take_all();
  }
  EXPECT_EQ(submit_all(), 2);
}

}  // namespace
}  // namespace tandem
