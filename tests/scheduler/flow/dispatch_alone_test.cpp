// SPDX-License-Identifier: LGPL-2.1-or-later
// A worker alone and what others left to it, and workers that would all wait.
#include <gtest/gtest.h>

#include <array>

#include "scheduler/flow/dispatch.h"

namespace tandem {
namespace {

using Kind = Dispatch::Action::Kind;

/// A stage on the device and one on the cores, and another one on the device where it is asked for.
class DispatchAlone : public testing::Test {
 protected:
  void configure(int threads, uint32_t device_stages = 1) {
    dispatch_.configure({{device_stages, 3}, Granularity::coarse, threads, 2}, {7, 1}, false);
  }
  Dispatch::Work work(int worker = 0) {
    while (dispatch_.has_space()) dispatch_.let_in(&items_[sent_++], 0);
    return dispatch_.work_for(worker, 1, {});
  }
  Dispatch::Entry& send() {
    const Dispatch::Work work = this->work();
    EXPECT_FALSE(work.collects);
    const Dispatch::Action action = dispatch_.next(*work.entry);
    EXPECT_EQ(action.kind, Kind::device);
    dispatch_.sent(*work.entry, action, 1);
    return *work.entry;
  }
  /// True when another worker goes on with it.
  bool collect(Dispatch::Entry& entry) {
    dispatch_.leave_device(entry, 1);
    EXPECT_FALSE(dispatch_.did(entry, entry.sent, {}));
    return dispatch_.hand_on(entry, 1);
  }
  void compute(Dispatch::Entry& entry) {
    const Dispatch::Action action = dispatch_.next(entry);
    EXPECT_EQ(action.kind, Kind::cpu);
    EXPECT_FALSE(dispatch_.did(entry, action, {}));
    EXPECT_EQ(dispatch_.next(entry).kind, Kind::finish);
    dispatch_.finish(entry);
  }

  Dispatch dispatch_{{{}, {}, {}}, 4, true};
  std::array<Item, 32> items_;
  int sent_ = 0;
};

TEST_F(DispatchAlone, ComputesWhatWasHandedOnToOthers) {
  configure(3);
  Dispatch::Entry& first = send();
  send();
  const Dispatch::Work collects = work();
  ASSERT_EQ(collects.entry, &first);
  ASSERT_TRUE(collects.collects);
  ASSERT_TRUE(collect(first)) << "one is on the device, and others may compute";
  configure(1);
  const Dispatch::Work next = work();
  EXPECT_EQ(next.entry, &first) << "the device never runs out of items, and all behind it wait";
  EXPECT_FALSE(next.collects);
  compute(first);
  EXPECT_TRUE(dispatch_.can_take());
}

TEST_F(DispatchAlone, KnowsWhatBeganBesideAnItem) {
  configure(2, 0);
  Dispatch::Entry& slow = *work(0).entry;
  for (int i = 0; i < 3; ++i) {
    Dispatch::Entry& fast = *work(1).entry;
    compute(fast);
    EXPECT_EQ(fast.item->times.passed_by, 0) << i;
  }
  compute(slow);
  EXPECT_EQ(slow.item->times.passed_by, 3);
}

TEST_F(DispatchAlone, GoesOnWithWhatItCollects) {
  configure(1);
  for (int i = 0; i < 8; ++i) {
    send();
    Dispatch::Work next = work();
    while (!next.collects) {
      dispatch_.sent(*next.entry, dispatch_.next(*next.entry), 1);
      next = work();
    }
    EXPECT_FALSE(collect(*next.entry));
    compute(*next.entry);
    EXPECT_TRUE(dispatch_.can_take()) << i;
    dispatch_.take();
    dispatch_.release();
  }
}

// With cpu-fallback=false a worker waits for a lane. Workers that are in use no more may have sent
// what the lanes hold, and then nobody else is there to collect it.
TEST_F(DispatchAlone, LeavesAnItemRatherThanWaitForALaneThatItHasToFree) {
  constexpr uint32_t kDeviceFirstAndLast = 5;
  dispatch_.set_cpu_fallback(false);
  configure(3, kDeviceFirstAndLast);
  Dispatch::Entry& first = send();
  Dispatch::Entry& second = send();
  ASSERT_TRUE(work().collects);
  Dispatch::Entry& third = *work(1).entry;
  EXPECT_EQ(dispatch_.next(third).kind, Kind::wait);
  ASSERT_TRUE(collect(first));
  configure(1, kDeviceFirstAndLast);
  ASSERT_EQ(work().entry, &first);
  const Dispatch::Action on_cores = dispatch_.next(first);
  dispatch_.sent(third, dispatch_.next(third), 1);  // by the worker that is in use no more
  EXPECT_EQ(work(1).entry, nullptr);
  EXPECT_FALSE(dispatch_.did(first, on_cores, {}));
  ASSERT_EQ(dispatch_.next(first).kind, Kind::park) << "both lanes are taken";
  ASSERT_TRUE(dispatch_.park(first, 1));
  const Dispatch::Work next = work();
  EXPECT_EQ(next.entry, &second);
  EXPECT_TRUE(next.collects);
}

TEST_F(DispatchAlone, WhoWaitsForALaneIsWokenToBeAborted) {
  dispatch_.set_cpu_fallback(false);
  configure(3);
  send();
  send();
  Dispatch::Entry& third = *work(1).entry;
  ASSERT_EQ(dispatch_.next(third).kind, Kind::wait);
  dispatch_.take_wakeups();
  dispatch_.abort();
  EXPECT_NE(dispatch_.take_wakeups() & Dispatch::kSides, 0U);
  EXPECT_EQ(dispatch_.next(third).kind, Kind::finish);
  EXPECT_FALSE(third.item->status.ok());
}

// On g, on h, and split with g: whoever waits for g may be the one that has to collect from it.
TEST(DispatchSplit, OfSeveralLettersAnItemThatFindsNoLaneLeavesItsWorker) {
  Dispatch dispatch({{}, {}, {}}, 2, true);
  Configuration ghs{{1, 3}, Granularity::medium, 3};
  ghs.mapping.set(1, Side::h);
  ghs.mapping.set(2, Side::s);
  Devices devices(0, 2);
  devices.kind[1] = 1;
  devices.capable = {7, 7, 0};
  dispatch.configure(ghs, devices, false);
  std::array<Item, 8> items;
  int sent = 0;
  const auto work = [&] {
    while (dispatch.has_space()) dispatch.let_in(&items[sent++], 0);
    return dispatch.work_for(0, 1, {});
  };
  const auto send = [&](Dispatch::Entry& entry) {
    const Dispatch::Action action = dispatch.next(entry);
    ASSERT_EQ(action.kind, Kind::device);
    dispatch.sent(entry, action, 1);
  };
  const auto collect = [&](Dispatch::Entry& entry) {
    dispatch.leave_device(entry, 1);
    EXPECT_FALSE(dispatch.did(entry, entry.sent, {}));
  };
  Dispatch::Entry& first = *work().entry;
  send(first);
  ASSERT_TRUE(work().collects);
  collect(first);
  send(first);  // on h
  Dispatch::Entry& second = *work().entry;
  ASSERT_NE(&second, &first);
  send(second);
  collect(first);
  EXPECT_EQ(dispatch.next(first).kind, Kind::park) << "the second has the lane";
  ASSERT_TRUE(dispatch.park(first, 1));
  collect(second);
  EXPECT_EQ(work().entry, &first);
  EXPECT_EQ(dispatch.next(first).kind, Kind::split);
}

}  // namespace
}  // namespace tandem
