// SPDX-License-Identifier: LGPL-2.1-or-later
// When the source that found no space is woken, because a wakeup in vain costs it and the others a
// switch of threads; and the times of frames.
#include <gtest/gtest.h>

#include "scheduler/flow/dispatch.h"

namespace tandem {
namespace {

/// One stage, one worker.
class DispatchSource : public testing::Test {
 protected:
  DispatchSource() {
    dispatch_.configure({{0, 1}, Granularity::coarse, 1}, 0, false);
    dispatch_.set_window(8);
  }

  void submit() {
    ASSERT_TRUE(dispatch_.has_space());
    dispatch_.let_in(&items_[sent_++], 0);
  }
  Dispatch::Entry& begin() { return *dispatch_.work_for(0, 1, {}).entry; }
  void compute(Dispatch::Entry& entry) {
    EXPECT_FALSE(dispatch_.did(entry, dispatch_.next(entry), {}));
    EXPECT_EQ(dispatch_.next(entry).kind, Dispatch::Action::Kind::finish);
    dispatch_.finish(entry);
  }

  Dispatch dispatch_{{{}}, 1, false};
  std::vector<Item> items_ = std::vector<Item>(10);
  int sent_ = 0;
};

TEST_F(DispatchSource, IsWokenWhereThereIsSpace) {
  submit();
  Dispatch::Entry& first = begin();
  submit();
  EXPECT_FALSE(dispatch_.has_space());
  EXPECT_FALSE(dispatch_.source_should_wake()) << "it does not wait";
  dispatch_.source_waits();
  compute(first);
  dispatch_.take();
  dispatch_.release();
  EXPECT_NE(dispatch_.take_wakeups() & Dispatch::kSource, 0U);
  EXPECT_FALSE(dispatch_.source_should_wake()) << "the other item still waits to begin";
  begin();
  EXPECT_NE(dispatch_.take_wakeups() & Dispatch::kSource, 0U);
  EXPECT_TRUE(dispatch_.source_should_wake());
  submit();
  EXPECT_FALSE(dispatch_.source_should_wake());
}

TEST_F(DispatchSource, IsWokenWhereItWaitsForTheSinkFromNowOnOrNoLonger) {
  for (int i = 0; i < 3; ++i) {
    submit();
    compute(begin());
  }
  submit();
  Dispatch::Entry& last = begin();
  submit();
  EXPECT_FALSE(dispatch_.has_space());
  dispatch_.source_waits();
  EXPECT_FALSE(dispatch_.source_should_wake());
  dispatch_.take_wakeups();
  compute(last);
  EXPECT_NE(dispatch_.take_wakeups() & Dispatch::kSource, 0U);
  EXPECT_TRUE(dispatch_.waits_for_the_sink());
  EXPECT_TRUE(dispatch_.source_should_wake());
  dispatch_.source_waits();
  EXPECT_FALSE(dispatch_.source_should_wake());
  dispatch_.take();
  dispatch_.release();
  EXPECT_FALSE(dispatch_.has_space());
  EXPECT_TRUE(dispatch_.source_should_wake());
}

TEST_F(DispatchSource, IsWokenAfterAnAbort) {
  submit();
  EXPECT_FALSE(dispatch_.has_space());
  dispatch_.source_waits();
  dispatch_.abort();
  EXPECT_TRUE(dispatch_.source_should_wake());
}

/// Times that a dispatch tells of a frame, by a clock of the test.
class DispatchTimes : public DispatchSource {
 protected:
  void let_in(uint64_t now_ns) { dispatch_.let_in(&items_[sent_++], 0, now_ns); }
  // `since_ns`: since when the worker waits.
  FrameTimes& compute(uint64_t since_ns, uint64_t begin_ns, uint64_t end_ns) {
    Dispatch::Entry& entry = *dispatch_.work_for(0, begin_ns, {since_ns, 1}).entry;
    FrameTimes& times = entry.item->times;
    DispatchSource::compute(entry);
    times.end_ns = end_ns;
    return times;
  }
};

// The worker waits since 100, and is awake 30 after the frame has come; so is the sink after it is
// done.
TEST_F(DispatchTimes, ALatencyIsFromPadToPad) {
  let_in(200);
  const FrameTimes& times = compute(100, 230, 300);
  EXPECT_EQ(times.waking_ns, 30U);
  dispatch_.take(340);
  EXPECT_EQ(times.ready_ns, 340U);
  EXPECT_EQ(times.latency_ns(), 140U);
}

TEST_F(DispatchTimes, WhatAFrameWaitsForOthersIsNoPartOfIt) {
  let_in(100);
  let_in(110);
  compute(50, 120, 300);
  const FrameTimes& behind = compute(0, 310, 400);
  EXPECT_EQ(behind.waking_ns, 0U);
  dispatch_.take();
  dispatch_.take();
  EXPECT_EQ(behind.latency_ns(), 90U);
}

TEST_F(DispatchTimes, ASpacedFrameIsAsIfItCameWhenTheOneBeforeWasReleased) {
  dispatch_.configure({{0, 1}, Granularity::coarse, 1}, 0, false, ~0U, true);
  let_in(100);
  let_in(110);
  let_in(120);
  EXPECT_EQ(compute(50, 120, 300).waking_ns, 20U);
  EXPECT_EQ(dispatch_.work_for(0, 310, {}).entry, nullptr);
  dispatch_.take(330);
  EXPECT_EQ(dispatch_.work_for(0, 340, {}).entry, nullptr) << "the sink has it still";
  dispatch_.take_wakeups();
  dispatch_.release(400);
  EXPECT_NE(dispatch_.take_wakeups() & Dispatch::kOneWorker, 0U);
  const FrameTimes& times = compute(310, 425, 500);
  EXPECT_TRUE(times.spaced);
  EXPECT_FALSE(times.starved);
  EXPECT_EQ(times.waking_ns, 25U);
  dispatch_.take(510);
  EXPECT_EQ(times.latency_ns(), 110U);
}

TEST_F(DispatchTimes, FramesThatAreNotSpacedAnyMoreBegin) {
  dispatch_.configure({{0, 1}, Granularity::coarse, 1}, 0, false, ~0U, true);
  let_in(100);
  let_in(110);
  compute(50, 120, 300);
  dispatch_.take_wakeups();
  dispatch_.configure({{0, 1}, Granularity::coarse, 1}, 0, false);
  EXPECT_NE(dispatch_.take_wakeups() & Dispatch::kWorkers, 0U);
  EXPECT_FALSE(compute(0, 310, 400).spaced);
}

}  // namespace
}  // namespace tandem
