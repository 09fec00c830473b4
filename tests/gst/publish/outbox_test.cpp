// SPDX-License-Identifier: LGPL-2.1-or-later
// The queue of lines: bounded, in order, each kept until it is acknowledged.
#include "gst/publish/outbox.h"

#include <gtest/gtest.h>

namespace tandem::test {
namespace {

using Ids = std::vector<uint64_t>;

Ids take(Outbox& outbox, std::size_t most) {
  Ids ids;
  for (const Outgoing& one : outbox.take(most)) {
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
  Outbox outbox(10);
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
  Outbox outbox(10);
  push(outbox, 0, 4);
  take(outbox, 3);
  outbox.acknowledge(0);
  expect_counts(outbox, 3, 1, 0);
  outbox.rewind();
  EXPECT_FALSE(outbox.awaiting());
  EXPECT_EQ(take(outbox, 9), (Ids{1, 2, 3}));
}

TEST(Outbox, AcknowledgementsMayComeInAnyOrder) {
  Outbox outbox(10);
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
  Outbox outbox(10);
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
  Outbox outbox(3);
  push(outbox, 0, 5);
  expect_counts(outbox, 3, 0, 2);
  EXPECT_EQ(take(outbox, 9), (Ids{2, 3, 4}));
}

TEST(Outbox, ALineUnderWayMayBeDropped) {
  Outbox outbox(3);
  push(outbox, 0, 3);
  take(outbox, 2);
  push(outbox, 3, 4);
  outbox.acknowledge(0);  // too late to count
  expect_counts(outbox, 3, 0, 1);
  EXPECT_TRUE(outbox.awaiting());
  push(outbox, 4, 6);
  EXPECT_FALSE(outbox.awaiting());
  EXPECT_EQ(take(outbox, 9), (Ids{3, 4, 5}));
  expect_counts(outbox, 3, 0, 3);
}

// What is acknowledged behind a line that goes is not dropped with it.
TEST(Outbox, AcknowledgedLinesAreNotDropped) {
  Outbox outbox(3);
  push(outbox, 0, 3);
  take(outbox, 3);
  outbox.acknowledge(1);
  outbox.acknowledge(2);
  push(outbox, 3, 4);
  expect_counts(outbox, 1, 2, 1);
  push(outbox, 4, 6);
  expect_counts(outbox, 3, 2, 1);
  EXPECT_EQ(take(outbox, 9), (Ids{3, 4, 5}));
}

TEST(Outbox, NoPlaceIsOne) {
  Outbox outbox(0);
  push(outbox, 0, 2);
  expect_counts(outbox, 1, 0, 1);
}

}  // namespace
}  // namespace tandem::test
