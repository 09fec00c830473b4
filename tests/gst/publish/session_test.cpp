// SPDX-License-Identifier: LGPL-2.1-or-later
// Connections, pauses and news, with a broker of the test's own and in time of its own.
#include "gst/publish/session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gst/publish/fake_broker.h"

namespace tandem::test {
namespace {

using std::chrono::milliseconds;
using Kind = SessionNews::Kind;

class Sessions : public testing::Test {
 protected:
  explicit Sessions(std::size_t lines = 1000) : outbox_({lines, 1 << 20}) {}

  void push(int lines) {
    for (int i = 0; i < lines; ++i) outbox_.push(std::to_string(pushed_++));
  }
  Session::Step step() {
    Session::Step step = session_.step(now_);
    for (const SessionNews& one : step.news) {
      kinds_.push_back(one.kind);
      last_ = one;
    }
    return step;
  }
  // Steps when they are due, for so long.
  void run(milliseconds time) {
    const Session::Time end = now_ + time;
    int steps = 0;
    while (now_ < end) {
      ASSERT_LT(++steps, 100000) << "steps without end";
      now_ = std::max(now_, std::min(step().until, end));
    }
  }
  int count(Kind kind) const {
    return static_cast<int>(std::count(kinds_.begin(), kinds_.end(), kind));
  }

  Session::Time now_{std::chrono::hours(1)};
  FakeServer server_;
  FakeConnector connector_{server_};
  Outbox outbox_;
  Session session_{outbox_, connector_};
  std::vector<Kind> kinds_;
  SessionNews last_{Kind::kConnected, {}, 0, nullptr};
  int pushed_ = 0;
};

// The lines in the order in which each came first.
std::vector<std::string> first_arrivals(const std::vector<std::string>& received) {
  std::vector<std::string> first;
  for (const std::string& line : received) {
    if (std::find(first.begin(), first.end(), line) == first.end()) first.push_back(line);
  }
  return first;
}

std::vector<std::string> numbers(int first, int last) {
  std::vector<std::string> all;
  for (int i = first; i < last; ++i) all.push_back(std::to_string(i));
  return all;
}

TEST_F(Sessions, EachLineOnceWhileAllIsWell) {
  push(50);
  run(milliseconds(10));
  push(50);
  run(milliseconds(2000));
  EXPECT_EQ(server_.received, numbers(0, 100));
  EXPECT_EQ(outbox_.counts().published, 100U);
  EXPECT_EQ(server_.opened, 1);
  EXPECT_EQ(kinds_, std::vector{Kind::kConnected});
  EXPECT_TRUE(session_.connected());
}

// The broker dies with each of the lines, having acknowledged it or not, and comes back.
TEST_F(Sessions, LossAtEveryMoment) {
  for (int moment = 0; moment < 12; ++moment) {
    for (const bool acknowledged : {true, false}) {
      SCOPED_TRACE("died with line " + std::to_string(moment));
      const int before = pushed_;
      server_.received.clear();
      server_.dies_after = moment;
      server_.acknowledges_last = acknowledged;
      push(10);
      run(milliseconds(300));
      push(4);
      run(milliseconds(1000));
      EXPECT_FALSE(session_.connected());
      server_.up = true;
      server_.dies_after = -1;
      run(milliseconds(6000));
      EXPECT_EQ(first_arrivals(server_.received), numbers(before, pushed_));
      EXPECT_LE(server_.received.size(), 14U + server_.room)
          << "more duplicates than were in flight";
      EXPECT_EQ(outbox_.counts().queued, 0U);
    }
  }
  EXPECT_EQ(outbox_.counts().published, static_cast<uint64_t>(pushed_));
  EXPECT_EQ(outbox_.counts().dropped, 0U);
  EXPECT_EQ(session_.reconnects(), 24U);
  EXPECT_EQ(count(Kind::kLost), 24);
}

TEST_F(Sessions, AttemptsComeLessAndLessOften) {
  server_.up = false;
  std::vector<milliseconds> pauses;
  Session::Time tried = now_;
  step();
  while (pauses.size() < 8) {
    const int opened = server_.opened;
    now_ += milliseconds(10);
    step();
    if (server_.opened == opened) continue;
    pauses.push_back(std::chrono::duration_cast<milliseconds>(now_ - tried));
    tried = now_;
  }
  const std::vector<int> wanted{100, 200, 400, 800, 1600, 3200, 5000, 5000};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(pauses[i], milliseconds(wanted[i]));
}

TEST_F(Sessions, HurryEndsAPause) {
  server_.up = false;
  run(std::chrono::seconds(60));
  const int opened = server_.opened;
  session_.hurry();
  step();
  EXPECT_EQ(server_.opened, opened + 1);
  run(milliseconds(101));
  EXPECT_EQ(server_.opened, opened + 2);
}

TEST_F(Sessions, ABrokerThatIsNotThereIsToldOnce) {
  server_.up = false;
  push(10);
  run(std::chrono::seconds(60));
  EXPECT_EQ(kinds_, std::vector{Kind::kLost});
  EXPECT_EQ(last_.why, "nobody is there");
  server_.up = true;
  run(std::chrono::seconds(6));
  EXPECT_EQ(server_.received, numbers(0, 10));
  EXPECT_EQ(session_.reconnects(), 0U);
}

TEST_F(Sessions, FurtherAddressesAreTriedAtOnce) {
  server_.up = false;
  server_.more_addresses = true;
  step();
  EXPECT_TRUE(kinds_.empty());
  step();
  EXPECT_EQ(server_.opened, 2);
  EXPECT_EQ(kinds_, std::vector{Kind::kLost});
}

TEST_F(Sessions, ARefusalIsTheEnd) {
  server_.refusal = "wrong password";
  push(3);
  run(std::chrono::seconds(60));
  EXPECT_EQ(kinds_, std::vector{Kind::kFailed});
  EXPECT_EQ(last_.why, "wrong password");
  EXPECT_TRUE(session_.failed());
  EXPECT_EQ(server_.opened, 1);
}

// There was nothing to acknowledge.
TEST_F(Sessions, ALossAfterSilentHoursIsToldAgain) {
  for (int i = 1; i < 4; ++i) {
    server_.up = true;
    run(std::chrono::hours(1));
    EXPECT_TRUE(session_.connected());
    server_.up = false;
    run(std::chrono::hours(1));
    EXPECT_EQ(count(Kind::kLost), i);
  }
}

TEST_F(Sessions, AFileThatWasNeverOfUseIsTheEnd) {
  server_.useless_file = "no such file";
  run(std::chrono::seconds(60));
  EXPECT_EQ(kinds_, std::vector{Kind::kFailed});
}

// It may be about to be renewed.
TEST_F(Sessions, AFileThatGoesLaterIsAnOutage) {
  push(3);
  run(milliseconds(10));
  server_.up = false;
  server_.useless_file = "no such file";
  push(3);
  run(std::chrono::seconds(60));
  EXPECT_FALSE(session_.failed());
  server_.up = true;
  server_.useless_file.clear();
  run(std::chrono::seconds(6));
  EXPECT_EQ(first_arrivals(server_.received), numbers(0, 6));
}

// A broker that is stopped: the kernel still takes connections and bytes.
TEST_F(Sessions, SilenceIsALoss) {
  server_.answers = false;
  run(Session::kConnectLimit - milliseconds(1));
  EXPECT_TRUE(kinds_.empty());
  run(milliseconds(2));
  EXPECT_EQ(kinds_, std::vector{Kind::kLost});
  server_.answers = true;
  run(std::chrono::seconds(6));
  ASSERT_TRUE(session_.connected());
  run(std::chrono::minutes(1));  // nothing to say
  EXPECT_TRUE(session_.connected());
  server_.answers = false;
  push(3);
  run(Session::kSilenceLimit - milliseconds(1));
  EXPECT_TRUE(session_.connected());
  run(milliseconds(2));
  EXPECT_FALSE(session_.connected());
  EXPECT_EQ(count(Kind::kLost), 2);
  EXPECT_LE(server_.open_now, 1);
  server_.answers = true;
  run(std::chrono::seconds(12));
  EXPECT_EQ(first_arrivals(server_.received), numbers(0, 3));
  EXPECT_EQ(outbox_.counts().queued, 0U);
}

// It lets us in and dies with each line: a storm of connections would help nobody.
TEST_F(Sessions, ABrokerThatDiesWithEachLineIsLeftInPeace) {
  push(5);
  for (int i = 0; i < 600; ++i) {
    server_.up = true;
    server_.dies_after = 0;
    server_.acknowledges_last = false;
    run(milliseconds(100));
  }
  EXPECT_LT(server_.opened, 25);
  EXPECT_GT(server_.opened, 10);
  EXPECT_EQ(count(Kind::kLost), 1);  // nor would a warning for each
}

TEST_F(Sessions, ClosingKeepsTheLines) {
  push(3);
  server_.answers = false;
  run(milliseconds(10));
  EXPECT_EQ(server_.open_now, 1);
  session_.close();
  EXPECT_EQ(server_.open_now, 0);
  EXPECT_EQ(outbox_.counts().queued, 3U);
}

// A broker closes the connection at a line that is longer than it takes. Lines before it and behind
// it come through, in order.
TEST_F(Sessions, ALineThatTheBrokerNeverTakesIsGivenUp) {
  server_.longest = 20'000;
  std::vector<std::string> wanted;
  for (int i = 0; i < 40; ++i) {
    const bool too_long = i == 3 || i == 17 || i == 18;
    std::string line = std::to_string(i) + std::string(too_long ? 20'001 : 18'000, 'x');
    if (!too_long) wanted.push_back(line);
    outbox_.push(std::move(line));
    run(milliseconds(1));
  }
  run(std::chrono::minutes(2));
  EXPECT_EQ(first_arrivals(server_.received), wanted);
  const OutboxCounts counts = outbox_.counts();
  EXPECT_EQ(counts.queued, 0U);
  EXPECT_EQ(counts.published, 37U);
  EXPECT_EQ(counts.too_long, 3U);
  EXPECT_EQ(count(Kind::kTooLong), 3);
  EXPECT_EQ(count(Kind::kFailed), 0);
}

// A short line is in no broker's way: it waits for one that does not die with it.
TEST_F(Sessions, AShortLineIsNeverGivenUp) {
  push(5);
  for (int i = 0; i < 100; ++i) {
    server_.up = true;
    server_.dies_after = 0;
    server_.acknowledges_last = false;
    run(std::chrono::seconds(6));
  }
  EXPECT_EQ(outbox_.counts().queued, 5U);
  EXPECT_EQ(count(Kind::kTooLong), 0);
}

// Nor is a long one while the broker is away or hangs.
TEST_F(Sessions, ALongLineWaitsForABrokerThatIsAway) {
  outbox_.push(std::string(500'000, 'x'));
  for (int i = 0; i < 20; ++i) {
    server_.up = i % 2 == 0;
    server_.answers = false;
    run(std::chrono::seconds(30));
  }
  server_.up = server_.answers = true;
  run(std::chrono::seconds(20));
  EXPECT_EQ(outbox_.counts().published, 1U);
  EXPECT_EQ(count(Kind::kTooLong), 0);
}

class SmallQueue : public Sessions {
 protected:
  SmallQueue() : Sessions(10) {}
};

TEST_F(SmallQueue, DropsAreToldOnceAndCountedInTheEnd) {
  server_.up = false;
  push(8);
  run(std::chrono::seconds(1));
  EXPECT_EQ(kinds_, std::vector{Kind::kLost});
  for (int i = 0; i < 5; ++i) {
    push(4);
    run(std::chrono::seconds(1));
  }
  EXPECT_EQ(kinds_, (std::vector{Kind::kLost, Kind::kDropping}));
  server_.up = true;
  run(std::chrono::seconds(6));
  EXPECT_EQ(kinds_, (std::vector{Kind::kLost, Kind::kDropping, Kind::kConnected, Kind::kDropped}));
  EXPECT_EQ(last_.dropped, 18U);
  EXPECT_EQ(outbox_.counts().dropped, 18U);
  EXPECT_EQ(server_.received, numbers(18, 28));
  push(10);
  run(std::chrono::seconds(1));
  EXPECT_EQ(kinds_.size(), 4U);
}

TEST(Backoff, DoublesToFiveSeconds) {
  Backoff backoff;
  std::vector<int64_t> pauses_ms(8);
  for (int64_t& pause : pauses_ms) pause = backoff.next().count();
  EXPECT_EQ(pauses_ms, (std::vector<int64_t>{100, 200, 400, 800, 1600, 3200, 5000, 5000}));
  backoff.reset();
  EXPECT_EQ(backoff.next(), milliseconds(100));
}

}  // namespace
}  // namespace tandem::test
