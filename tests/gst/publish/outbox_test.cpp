// SPDX-License-Identifier: LGPL-2.1-or-later
// The queue of lines: bounded, in order, each kept until it is acknowledged.
#include "gst/publish/outbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace tandem::test {
namespace {

using Ids = std::vector<uint64_t>;

Ids take(Outbox& outbox, std::size_t most) {
  Ids ids;
  for (const Outgoing& one : outbox.take({most, 1000})) {
    EXPECT_EQ(*one.line, std::to_string(one.id));
    ids.push_back(one.id);
  }
  return ids;
}

void push(Outbox& outbox, int first, int last) {
  for (int i = first; i < last; ++i) outbox.push(std::to_string(i));
}

void expect_counts(const Outbox& outbox, uint64_t queued, uint64_t published, uint64_t dropped) {
  const OutboxCounts counts = outbox.counts();
  EXPECT_EQ(counts.queued, queued);
  EXPECT_EQ(counts.published, published);
  EXPECT_EQ(counts.dropped, dropped);
}

TEST(Outbox, LinesAreTakenOnceAndInOrder) {
  Outbox outbox({10, 1000});
  EXPECT_TRUE(take(outbox, 5).empty());
  push(outbox, 0, 5);
  EXPECT_EQ(take(outbox, 0), Ids{});
  EXPECT_FALSE(outbox.awaiting());
  EXPECT_EQ(take(outbox, 2), (Ids{0, 1}));
  EXPECT_TRUE(outbox.awaiting());
  EXPECT_EQ(take(outbox, 9), (Ids{2, 3, 4}));
  EXPECT_EQ(take(outbox, 9), Ids{});
  expect_counts(outbox, 5, 0, 0);
}

TEST(Outbox, ALineStaysUntilItIsAcknowledged) {
  Outbox outbox({10, 1000});
  push(outbox, 0, 4);
  take(outbox, 3);
  outbox.acknowledge(0);
  expect_counts(outbox, 3, 1, 0);
  outbox.rewind();
  EXPECT_FALSE(outbox.awaiting());
  EXPECT_EQ(take(outbox, 9), (Ids{1, 2, 3}));
}

TEST(Outbox, AcknowledgementsMayComeInAnyOrder) {
  Outbox outbox({10, 1000});
  push(outbox, 0, 5);
  take(outbox, 4);
  outbox.acknowledge(2);
  outbox.acknowledge(1);
  expect_counts(outbox, 3, 2, 0);
  outbox.rewind();
  EXPECT_EQ(take(outbox, 9), (Ids{0, 3, 4}));
  outbox.acknowledge(0);
  EXPECT_TRUE(outbox.awaiting());
  outbox.acknowledge(3);
  outbox.acknowledge(4);
  EXPECT_FALSE(outbox.awaiting());
  expect_counts(outbox, 0, 5, 0);
}

TEST(Outbox, AcknowledgementsThatMeanNothing) {
  Outbox outbox({10, 1000});
  outbox.acknowledge(0);
  push(outbox, 0, 3);
  outbox.acknowledge(0);  // never taken
  take(outbox, 2);
  outbox.acknowledge(2);
  outbox.acknowledge(77);
  expect_counts(outbox, 3, 0, 0);
  outbox.acknowledge(1);
  outbox.acknowledge(1);
  expect_counts(outbox, 2, 1, 0);
  outbox.acknowledge(0);
  outbox.acknowledge(0);
  expect_counts(outbox, 1, 2, 0);
}

TEST(Outbox, TheOldestMakesRoom) {
  Outbox outbox({3, 1000});
  push(outbox, 0, 5);
  expect_counts(outbox, 3, 0, 2);
  EXPECT_EQ(take(outbox, 9), (Ids{2, 3, 4}));
}

// A line under way that has to go is neither dropped nor published before its fate is known.
TEST(Outbox, ALineUnderWayMayBePushedOut) {
  Outbox outbox({3, 1000});
  push(outbox, 0, 3);
  take(outbox, 2);
  push(outbox, 3, 5);
  expect_counts(outbox, 5, 0, 0);
  EXPECT_TRUE(outbox.awaiting());
  outbox.acknowledge(0);
  outbox.acknowledge(0);
  expect_counts(outbox, 4, 1, 0);
  EXPECT_TRUE(outbox.awaiting());
  outbox.rewind();
  EXPECT_FALSE(outbox.awaiting());
  expect_counts(outbox, 3, 1, 1);
  outbox.acknowledge(1);  // of a connection that is lost
  expect_counts(outbox, 3, 1, 1);
  EXPECT_EQ(take(outbox, 9), (Ids{2, 3, 4}));
}

// What is acknowledged behind a line that goes is not dropped with it.
TEST(Outbox, AcknowledgedLinesAreNotDropped) {
  Outbox outbox({3, 1000});
  push(outbox, 0, 3);
  take(outbox, 3);
  outbox.acknowledge(1);
  outbox.acknowledge(2);
  push(outbox, 3, 4);
  expect_counts(outbox, 2, 2, 0);
  outbox.rewind();
  expect_counts(outbox, 1, 2, 1);
  push(outbox, 4, 6);
  expect_counts(outbox, 3, 2, 1);
  EXPECT_EQ(take(outbox, 9), (Ids{3, 4, 5}));
}

// Pushes, acknowledgements and losses at random: each line is counted once.
TEST(Outbox, EachLineIsCountedOnce) {
  std::mt19937 random(7);
  const auto draw = [&](int most) { return static_cast<int>(random() % (most + 1U)); };
  Outbox outbox({5, 40});
  uint64_t pushed = 0;
  std::set<uint64_t> acknowledged;
  std::vector<uint64_t> under_way;
  for (int i = 0; i < 20000; ++i) {
    const int what = draw(9);
    if (what < 4) {
      outbox.push(std::string(draw(45), 'x'));
      ++pushed;
    } else if (what < 6) {
      const auto most = static_cast<std::size_t>(4 - std::min<std::size_t>(4, under_way.size()));
      for (const Outgoing& one : outbox.take({most, 30})) under_way.push_back(one.id);
    } else if (what < 9 && !under_way.empty()) {
      const auto at = under_way.begin() + draw(static_cast<int>(under_way.size()) - 1);
      outbox.acknowledge(*at);
      EXPECT_TRUE(acknowledged.insert(*at).second);
      under_way.erase(at);
    } else if (what == 9) {
      outbox.rewind();
      under_way.clear();
    }
    const OutboxCounts counts = outbox.counts();
    ASSERT_EQ(counts.queued + counts.published + counts.dropped + counts.too_long, pushed) << i;
    ASSERT_EQ(counts.published, acknowledged.size());
    ASSERT_LE(counts.bytes, 40U);
    ASSERT_LE(counts.queued, 5U + under_way.size());
  }
  EXPECT_GT(outbox.counts().dropped, 100U);
  EXPECT_GT(outbox.counts().published, 100U);
}

TEST(Outbox, BytesAreBounded) {
  Outbox outbox({10, 10});
  outbox.push("0000");
  outbox.push("1111");
  outbox.push("22");
  EXPECT_EQ(outbox.counts().bytes, 10U);
  expect_counts(outbox, 3, 0, 0);
  outbox.push("33333");
  expect_counts(outbox, 2, 0, 2);
  EXPECT_EQ(outbox.counts().bytes, 7U);
  EXPECT_FALSE(outbox.push("a line longer than all"));
  expect_counts(outbox, 2, 0, 2);
  EXPECT_EQ(outbox.counts().too_long, 1U);
  EXPECT_TRUE(outbox.push("ten bytes!"));
  expect_counts(outbox, 1, 0, 4);
  for (const Outgoing& one : outbox.take({9, 9})) outbox.acknowledge(one.id);
  EXPECT_EQ(outbox.counts().bytes, 0U);
}

TEST(Outbox, BytesAreTakenUntilTheRoomIsUsed) {
  Outbox outbox({10, 1000});
  push(outbox, 10, 16);  // of two bytes each
  EXPECT_TRUE(outbox.take({9, 0}).empty());
  EXPECT_EQ(outbox.take({9, 3}).size(), 2U);
  EXPECT_EQ(outbox.take({9, 1}).size(), 1U);
  EXPECT_EQ(outbox.take({2, 1000}).size(), 2U);
}

TEST(Outbox, ARefusedLineGoes) {
  Outbox outbox({10, 1000});
  push(outbox, 0, 3);
  EXPECT_EQ(outbox.refuse(0), nullptr);  // not taken
  take(outbox, 2);
  EXPECT_EQ(*outbox.refuse(1), "1");
  EXPECT_FALSE(outbox.holds(1));
  EXPECT_TRUE(outbox.holds(0));
  outbox.leave_out();
  expect_counts(outbox, 2, 0, 0);
  EXPECT_EQ(outbox.counts().too_long, 2U);
  outbox.rewind();
  EXPECT_EQ(take(outbox, 9), (Ids{0, 2}));
}

TEST(Outbox, NoPlaceIsOne) {
  Outbox outbox({0, 1000});
  push(outbox, 0, 2);
  expect_counts(outbox, 1, 0, 1);
}

}  // namespace
}  // namespace tandem::test
