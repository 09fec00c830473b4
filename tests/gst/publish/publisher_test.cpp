// SPDX-License-Identifier: LGPL-2.1-or-later
// The thread: who hands lines over never waits, and it stops whatever the broker does.
#include "gst/publish/publisher.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/gst/publish/fake_broker.h"

namespace tandem::test {
namespace {

using std::chrono::seconds;
constexpr OutboxLimits kLimits = {100, 100000};
using Drained = Publisher::Drained;

/// A name server that does not answer.
class SilentConnector final : public Connector {
 public:
  Opened open() override {
    asked.set_value();
    cancelled.get_future().wait();
    Opened opened;
    opened.error = "cancelled";
    return opened;
  }
  void cancel() override { cancelled.set_value(); }
  std::promise<void> asked, cancelled;
};

// Only as many lines as the fake broker has room for: it has no file that says that it is ready.
TEST(Publishers, LinesArriveAndAreCounted) {
  FakeServer server;
  {
    Publisher publisher(kLimits, std::make_unique<FakeConnector>(server),
                        [](const SessionNews&) {});
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(publisher.publish(std::to_string(i)));
      EXPECT_EQ(publisher.drain(seconds(60)), Drained::kAll);
    }
    EXPECT_EQ(publisher.stats().lines.published, 100U);
    EXPECT_TRUE(publisher.stats().connected);
  }
  EXPECT_EQ(server.received.size(), 100U);
  EXPECT_EQ(server.open_now, 0);
}

TEST(Publishers, DrainIsBounded) {
  FakeServer server;
  server.up = false;
  Publisher publisher(kLimits, std::make_unique<FakeConnector>(server), [](const SessionNews&) {});
  EXPECT_EQ(publisher.drain(seconds(60)), Drained::kAll);  // nothing to wait for
  publisher.publish("a");
  EXPECT_EQ(publisher.drain(std::chrono::milliseconds(10)), Drained::kNotAll);
  EXPECT_EQ(publisher.stats().lines.queued, 1U);
}

TEST(Publishers, DrainIsInterrupted) {
  FakeServer server;
  server.up = false;
  Publisher publisher(kLimits, std::make_unique<FakeConnector>(server), [](const SessionNews&) {});
  publisher.publish("a");
  auto drained = std::async(std::launch::async, [&] { return publisher.drain(seconds(600)); });
  publisher.interrupt();
  EXPECT_EQ(drained.get(), Drained::kInterrupted);
  publisher.interrupt(false);
  EXPECT_EQ(publisher.drain(std::chrono::milliseconds(10)), Drained::kNotAll);
}

TEST(Publishers, ARefusalEndsDrainAndPublishing) {
  FakeServer server;
  server.refusal = "wrong password";
  std::promise<std::string> told;
  Publisher publisher(kLimits, std::make_unique<FakeConnector>(server),
                      [&](const SessionNews& news) {
                        if (news.kind == SessionNews::Kind::kFailed) told.set_value(news.why);
                      });
  const bool kept = publisher.publish("a");  // before the refusal or after it
  EXPECT_EQ(publisher.drain(seconds(600)), kept ? Drained::kNotAll : Drained::kAll);
  EXPECT_EQ(told.get_future().get(), "wrong password");
  EXPECT_FALSE(publisher.publish("b"));
}

TEST(Publishers, StopsWhileTheNameServerIsSilent) {
  auto connector = std::make_unique<SilentConnector>();
  std::future<void> asked = connector->asked.get_future();
  Publisher publisher(kLimits, std::move(connector), [](const SessionNews&) {});
  asked.wait();
  EXPECT_TRUE(publisher.publish("a"));
}

}  // namespace
}  // namespace tandem::test
