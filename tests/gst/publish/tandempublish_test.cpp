// SPDX-License-Identifier: LGPL-2.1-or-later
// tandempublish and brokers as people have them: killed, hanging, not there, unwilling.
#include <gst/app/gstappsrc.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <thread>

#include "gst/util/ref.h"
#include "tests/gst/publish/real_broker.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kFrame{33};

std::string line_of(int number) { return "{\"frame\":" + std::to_string(number) + "}"; }

std::vector<std::string> lines(int first, int last) {
  std::vector<std::string> all;
  for (int i = first; i < last; ++i) all.push_back(line_of(i));
  return all;
}

// Without the duplicates.
std::vector<std::string> first_arrivals(const std::vector<std::string>& received) {
  std::set<std::string> seen;
  std::vector<std::string> first;
  for (const std::string& line : received) {
    if (seen.insert(line).second) first.push_back(line);
  }
  return first;
}

/// appsrc ! tandempublish.
class Publishing {
 public:
  explicit Publishing(const std::string& location, const std::string& properties = "")
      : pipeline_(gst_parse_launch(
            ("appsrc name=source format=time caps=application/x-json-lines ! tandempublish "
             "name=publish " +
             properties)
                .c_str(),
            nullptr)),
        messages(pipeline_),
        source_(gst_bin_get_by_name(GST_BIN(pipeline_), "source")),
        publish_(gst_bin_get_by_name(GST_BIN(pipeline_), "publish")) {
    g_object_set(publish_, "location", location.c_str(), nullptr);
  }
  ~Publishing() {
    stop();
    gst_object_unref(source_);
    gst_object_unref(publish_);
    gst_object_unref(pipeline_);
  }

  GstStateChangeReturn play() { return gst_element_set_state(pipeline_, GST_STATE_PLAYING); }
  void stop() { gst_element_set_state(pipeline_, GST_STATE_NULL); }
  // So many lines, at 30 a second or at once.
  void push(int count, std::chrono::milliseconds pause = kFrame) {
    for (int i = 0; i < count; ++i) {
      const std::string line = line_of(pushed_++) + "\n";
      gst_app_src_push_buffer(GST_APP_SRC(source_),
                              gst_buffer_new_memdup(line.data(), line.size()));
      std::this_thread::sleep_for(pause);
    }
  }
  void end() { gst_app_src_end_of_stream(GST_APP_SRC(source_)); }
  int pushed() const { return pushed_; }

  uint64_t stat(const char* name) const {
    GstStructure* stats = nullptr;
    g_object_get(publish_, "stats", &stats, nullptr);
    guint64 value = 0;
    gboolean flag = FALSE;
    if (gst_structure_get_boolean(stats, name, &flag)) value = flag;
    EXPECT_TRUE(gst_structure_get_uint64(stats, name, &value) ||
                gst_structure_has_field_typed(stats, name, G_TYPE_BOOLEAN));
    gst_structure_free(stats);
    return value;
  }
  // All lines have left the stream of buffers, whatever has become of them.
  bool all_taken() const {
    return stat("published") + stat("queued") + stat("dropped") == static_cast<uint64_t>(pushed_);
  }
  std::string location() const {
    gchar* text = nullptr;
    g_object_get(publish_, "location", &text, nullptr);
    std::string copy = text;
    g_free(text);
    return copy;
  }

 private:
  GstElement* const pipeline_;

 public:
  Messages messages;

 private:
  GstElement *const source_, *const publish_;
  int pushed_ = 0;
};

template <typename Condition>
bool comes_true(Condition&& condition) {
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

class Brokers : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    broker_ = real_broker(GetParam());
    if (!broker_) GTEST_SKIP() << "the broker for " << GetParam() << " is not installed";
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
  Publishing publishing(broker_->location(), "drain-timeout=60");
  publishing.play();
  publishing.push(30);
  broker_->kill();
  const auto killed = Clock::now();
  publishing.push(outage_frames);
  // None of them has waited for the broker, which is still away.
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
  EXPECT_GE(publishing.stat("queued"), static_cast<uint64_t>(outage_frames));
  EXPECT_EQ(publishing.stat("connected"), 0U);
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
  Publishing publishing(broker_->location());
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
  Publishing publishing(broker_->location(), "queue-size=10");
  publishing.play();
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
  Publishing publishing(broker_->location());
  publishing.play();
  publishing.push(3);
  expect_received(lines(0, 3));
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
  Publishing publishing(broker_->location());
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
  Publishing publishing(broker_->location(), "drain-timeout=1");
  publishing.play();
  publishing.push(3);
  expect_received(lines(0, 3));
  broker_->kill();
  publishing.push(5);
  publishing.end();
  publishing.messages.wait(GST_MESSAGE_EOS);
  const std::vector<Message> warnings = publishing.messages.all(GST_MESSAGE_WARNING);
  EXPECT_NE(warnings.at(warnings.size() - 1).text.find("5 lines were not published"),
            std::string::npos);
  EXPECT_EQ(publishing.stat("queued"), 5U);
}

// The end waits for as long as it takes within drain-timeout, and is interrupted by a stop.
TEST_P(Brokers, AStopInterruptsTheEndOfTheStream) {
  start_and_kill();
  Publishing publishing(broker_->location(), "drain-timeout=3600");
  publishing.play();
  publishing.push(3);
  publishing.end();
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
  publishing.stop();
  EXPECT_TRUE(publishing.messages.all(GST_MESSAGE_EOS).empty());
}

TEST_P(Brokers, PasswordsAreSentAndNeverShown) {
  broker_->require("ann", "sec:ret");
  broker_->start();
  {
    Publishing publishing(broker_->location("ann:sec%3Aret"));
    publishing.play();
    publishing.push(3);
    publishing.end();
    publishing.messages.wait(GST_MESSAGE_EOS);
    EXPECT_EQ(publishing.stat("published"), 3U);
  }
  for (const char* user : {"ann:wrong-secret", "bob:wrong-secret", ""}) {
    SCOPED_TRACE(user);
    Publishing publishing(broker_->location(user));
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
  for (const char* location : {"", "broker", "mqtt://u:secret@host", "mqtts://u:secret@host/a"}) {
    SCOPED_TRACE(location);
    Publishing publishing(location);
    EXPECT_EQ(publishing.play(), GST_STATE_CHANGE_FAILURE);
    const Message error = publishing.messages.wait(GST_MESSAGE_ERROR);
    EXPECT_NE(error.text.find("'location'"), std::string::npos) << error.text;
    EXPECT_EQ(error.text.find("secret"), std::string::npos) << error.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Real, Brokers, testing::Values("mqtt", "redis"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace tandem::test
