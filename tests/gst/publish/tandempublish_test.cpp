// SPDX-License-Identifier: LGPL-2.1-or-later
// tandempublish and brokers as people have them: killed, hanging, not there, unwilling.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/gst/publish/publishing.h"
#include "tests/gst/publish/real_broker.h"

namespace tandem::test {
namespace {

using Clock = std::chrono::steady_clock;

class Brokers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    broker_ = real_broker(GetParam());
    if (!broker_)
      GTEST_SKIP() << "needs a broker for " << GetParam() << ": mosquitto or redis-server";
  }
  void start() {
    broker_->start();
    broker_->begin_to_read();
  }
  // Someone is known to read, and the broker is not there.
  void start_and_kill() {
    start();
    broker_->kill();
  }
  void expect_received(const std::vector<std::string>& wanted) {
    std::vector<std::string> received;
    comes_true([&] {
      received = first_arrivals(broker_->received());
      return received.size() >= wanted.size();
    });
    EXPECT_EQ(received, wanted);
  }

  std::unique_ptr<RealBroker> broker_;
};

// TANDEM_OUTAGE_SECONDS makes the outage longer than it need be, to measure it.
TEST_P(Brokers, KilledAndStartedAgain) {
  const char* asked = std::getenv("TANDEM_OUTAGE_SECONDS");
  const int outage_frames = asked ? std::atoi(asked) * 30 : 30;
  start();
  Publishing publishing(broker_->location(), broker_->properties() + "drain-timeout=60");
  publishing.play();
  publishing.push(1);
  ASSERT_TRUE(comes_true([&] { return publishing.stat("connected") == 1; }));
  publishing.push(29);
  broker_->kill();
  const auto killed = Clock::now();
  publishing.push(outage_frames);
  // None of them has waited for the broker, which is still away.
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
  EXPECT_GE(publishing.stat("queued"), static_cast<uint64_t>(outage_frames));
  EXPECT_TRUE(comes_true([&] { return publishing.stat("connected") == 0; }));
  const std::chrono::duration<double> away = Clock::now() - killed;
  const uint64_t queued = publishing.stat("queued");
  broker_->start();
  publishing.push(30);
  publishing.end();
  publishing.messages.wait(GST_MESSAGE_EOS);
  EXPECT_EQ(publishing.stat("published"), static_cast<uint64_t>(publishing.pushed()));
  EXPECT_EQ(publishing.stat("queued"), 0U);
  EXPECT_EQ(publishing.stat("dropped"), 0U);
  EXPECT_GE(publishing.stat("reconnects"), 1U);
  EXPECT_EQ(publishing.stat("connected"), 1U);
  EXPECT_EQ(publishing.messages.all(GST_MESSAGE_WARNING).size(), 1U);
  EXPECT_TRUE(publishing.messages.all(GST_MESSAGE_ERROR).empty());
  expect_received(lines(0, publishing.pushed()));
  if (!asked) return;
  std::printf(
      "%s: %d lines, broker away for %.1f s, %llu queued, 0 lost or dropped, %zu received twice\n",
      GetParam(), publishing.pushed(), away.count(), static_cast<unsigned long long>(queued),
      broker_->received().size() - static_cast<std::size_t>(publishing.pushed()));
}

TEST_P(Brokers, StartedLate) {
  start_and_kill();
  Publishing publishing(broker_->location(), broker_->properties());
  publishing.play();
  publishing.push(10);
  EXPECT_EQ(publishing.messages.wait(GST_MESSAGE_WARNING).source, "publish");
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
  broker_->start();
  EXPECT_TRUE(comes_true([&] { return publishing.stat("queued") == 0; }));
  expect_received(lines(0, 10));
  EXPECT_EQ(publishing.stat("reconnects"), 0U);
  EXPECT_EQ(publishing.messages.all(GST_MESSAGE_WARNING).size(), 1U);
}

TEST_P(Brokers, TheQueueIsBounded) {
  start_and_kill();
  Publishing publishing(broker_->location(), broker_->properties() + "queue-size=10");
  publishing.play();
  publishing.messages.wait(GST_MESSAGE_WARNING);  // of no connection, before lines are dropped
  publishing.push(30);
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
  EXPECT_EQ(publishing.stat("queued"), 10U);
  EXPECT_EQ(publishing.stat("dropped"), 20U);
  broker_->start();
  expect_received(lines(20, 30));
  EXPECT_TRUE(comes_true([&] { return publishing.messages.all(GST_MESSAGE_WARNING).size() == 3; }));
  const std::vector<Message> warnings = publishing.messages.all(GST_MESSAGE_WARNING);
  EXPECT_NE(warnings.at(0).text.find("No connection"), std::string::npos);
  EXPECT_NE(warnings.at(1).text.find("are dropped"), std::string::npos);
  EXPECT_NE(warnings.at(2).text.find("20 lines"), std::string::npos);
}

TEST_P(Brokers, StopsWhileTheBrokerHangs) {
  start();
  Publishing publishing(broker_->location(), broker_->properties());
  publishing.play();
  publishing.push(3);
  expect_received(lines(0, 3));
  // A broker may serve its subscribers before it answers whom it hears.
  ASSERT_TRUE(comes_true([&] { return publishing.stat("published") == 3; }));
  broker_->hang();
  publishing.push(200, {});
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
  const auto begin = Clock::now();
  publishing.stop();
  const std::chrono::duration<double> seconds = Clock::now() - begin;
#ifndef TANDEM_SANITIZED
  EXPECT_LT(seconds.count(), 0.5);
#endif
  EXPECT_EQ(publishing.stat("queued"), 200U);
  EXPECT_EQ(publishing.stat("connected"), 0U);
}

TEST_P(Brokers, StopsWhileConnectingToABrokerThatHangs) {
  start();
  broker_->hang();
  Publishing publishing(broker_->location(), broker_->properties());
  publishing.play();
  publishing.push(10);
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
  const auto begin = Clock::now();
  publishing.stop();
  const std::chrono::duration<double> seconds = Clock::now() - begin;
#ifndef TANDEM_SANITIZED
  EXPECT_LT(seconds.count(), 0.5);
#endif
  EXPECT_EQ(publishing.stat("queued"), 10U);
}

TEST_P(Brokers, TheEndOfTheStreamIsBounded) {
  start();
  Publishing publishing(broker_->location(), broker_->properties() + "drain-timeout=1");
  publishing.play();
  publishing.push(3);
  expect_received(lines(0, 3));
  // A broker may serve its subscribers before it answers whom it hears.
  ASSERT_TRUE(comes_true([&] { return publishing.stat("published") == 3; }));
  broker_->kill();
  publishing.push(5);
  publishing.end();
  publishing.messages.wait(GST_MESSAGE_EOS);
  const std::vector<Message> warnings = publishing.messages.all(GST_MESSAGE_WARNING);
  EXPECT_NE(warnings.at(warnings.size() - 1).text.find("5 lines were not published"),
            std::string::npos);
  EXPECT_EQ(publishing.stat("queued"), 5U);
}

// The end waits for as long as it takes within drain-timeout, and for no longer than somebody
// stops, pauses or seeks.
TEST_P(Brokers, AStopInterruptsTheEndOfTheStream) {
  start_and_kill();
  for (const bool at_once : {true, false}) {
    Publishing publishing(broker_->location(), broker_->properties() + "drain-timeout=3600");
    publishing.play();
    publishing.push(3);
    publishing.end();
    EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
    if (!at_once) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    publishing.stop();
    EXPECT_TRUE(publishing.messages.all(GST_MESSAGE_EOS).empty());
  }
}

TEST_P(Brokers, APauseInterruptsTheEndOfTheStream) {
  start_and_kill();
  Publishing publishing(broker_->location(), broker_->properties() + "drain-timeout=3600");
  publishing.play();
  publishing.push(3);
  publishing.end();
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));  // it plays
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_NE(publishing.pause(), GST_STATE_CHANGE_FAILURE);
  publishing.play();
  broker_->start();
  publishing.messages.wait(GST_MESSAGE_EOS);
  expect_received(lines(0, 3));
}

TEST_P(Brokers, PasswordsAreSentAndNeverShown) {
  broker_->require("ann", "sec:ret");
  broker_->start();
  {
    Publishing publishing(broker_->location("ann:sec%3Aret"),
                          broker_->properties() + "drain-timeout=60");
    publishing.play();
    publishing.push(3);
    publishing.end();
    publishing.messages.wait(GST_MESSAGE_EOS);
    EXPECT_EQ(publishing.stat("published"), 3U);
  }
  for (const char* user : {"ann:wrong-secret", "bob:wrong-secret", ""}) {
    SCOPED_TRACE(user);
    Publishing publishing(broker_->location(user), broker_->properties());
    EXPECT_EQ(publishing.location().find("secret"), std::string::npos);
    publishing.play();
    publishing.push(1);
    const Message error = publishing.messages.wait(GST_MESSAGE_ERROR);
    EXPECT_EQ(error.source, "publish");
    EXPECT_NE(error.text.find("'location'"), std::string::npos) << error.text;
    EXPECT_EQ(error.text.find("secret"), std::string::npos) << error.text;
  }
}

TEST(Publish, ALocationThatSaysNothingIsAnError) {
  for (const char* location : {"", "broker", "mqtt://u:secret@host", "http://u:secret@host/a"}) {
    SCOPED_TRACE(location);
    Publishing publishing(location);
    EXPECT_EQ(publishing.play(), GST_STATE_CHANGE_FAILURE);
    const Message error = publishing.messages.wait(GST_MESSAGE_ERROR);
    EXPECT_NE(error.text.find("'location'"), std::string::npos) << error.text;
    EXPECT_EQ(error.text.find("secret"), std::string::npos) << error.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Real, Brokers, testing::Values("mqtt", "redis", "mqtts", "rediss"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace tandem::test
