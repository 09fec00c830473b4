// SPDX-License-Identifier: LGPL-2.1-or-later
// What is bounded, what is refused at the start, and what of a server's words is shown.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/gst/publish/publishing.h"
#include "tests/gst/publish/real_broker.h"
#include "tests/gst/publish/tcp_server.h"

namespace tandem::test {
namespace {

constexpr std::size_t kMegabyte = 1'000'000;

std::string long_line(int frame, std::size_t size) {
  std::string line = R"({"source":"gate","frame":)" + std::to_string(frame) + R"(,"text":")";
  line.resize(size - 2, 'x');
  return line + R"("})";
}

// Resident memory (kB).
long memory_kb(const char* field = "VmRSS:") {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long value = 0;
    if (word == field && status >> value) return value;
  }
  return 0;
}

// Pushes lines of 1 MB. Returns by how much the resident memory grew at most (kB).
long push_megabytes(Publishing& publishing, int count, std::chrono::milliseconds pause = {}) {
  const long before_kb = memory_kb();
  long most_kb = 0;
  for (int i = 0; i < count; ++i) {
    publishing.push_line(long_line(i, kMegabyte));
    most_kb = std::max(most_kb, memory_kb());
    if (pause.count() == 0) continue;
    std::this_thread::sleep_for(pause);
    if (i % 900 == 0) std::printf("after %d lines: VmRSS %ld kB\n", i + 1, memory_kb());
  }
  EXPECT_TRUE(comes_true([&] { return publishing.all_taken(); }));
  return most_kb - before_kb;
}

// Of 1 MB in 64 MiB.
constexpr int kMegabytesKept = 67;

// The port of this location takes no connection. TANDEM_AWAY_SECONDS makes it a measurement: so
// long, at 30 lines a second.
TEST(PublishLimits, BytesAreBounded) {
  if (!real_broker("redis")) GTEST_SKIP() << "needs redis-server";
  const char* asked = std::getenv("TANDEM_AWAY_SECONDS");
  const int count = asked ? std::atoi(asked) * 30 : 400;
  Publishing publishing("redis://127.0.0.1:1/people");
  publishing.play();
  publishing.messages.wait(GST_MESSAGE_WARNING);  // of no connection, before lines are dropped
  [[maybe_unused]] const long grown_kb =
      push_megabytes(publishing, count, asked ? kFrame : std::chrono::milliseconds{});
#ifndef TANDEM_SANITIZED
  EXPECT_LT(grown_kb, 120'000);
#endif
  EXPECT_EQ(publishing.stat("queued"), uint64_t{kMegabytesKept});
  EXPECT_EQ(publishing.stat("dropped"), static_cast<uint64_t>(count - kMegabytesKept));
  EXPECT_EQ(publishing.stat("queued-bytes"), kMegabytesKept * kMegabyte);
  EXPECT_TRUE(comes_true([&] { return publishing.messages.all(GST_MESSAGE_WARNING).size() == 2; }));
  EXPECT_NE(publishing.messages.all(GST_MESSAGE_WARNING).at(1).text.find("are dropped"),
            std::string::npos);
  if (!asked) return;
  std::printf("%d lines of 1 MB: VmRSS grew by %ld kB, VmHWM %ld kB, %llu dropped\n", count,
              grown_kb, memory_kb("VmHWM:"),
              static_cast<unsigned long long>(publishing.stat("dropped")));
}

// The libraries copy what is under way to a broker that takes nothing.
TEST(PublishLimits, BytesUnderWayAreBounded) {
  for (const char* protocol : {"mqtt", "redis", "mqtts", "rediss"}) {
    SCOPED_TRACE(protocol);
    const auto broker = real_broker(protocol);
    if (!broker) continue;
    broker->start();
    Publishing publishing(broker->location(), broker->properties());
    publishing.play();
    publishing.push(1);
    ASSERT_TRUE(comes_true([&] { return publishing.stat("published") == 1; }));
    broker->hang();
    [[maybe_unused]] const long grown_kb = push_megabytes(publishing, 300);
#ifndef TANDEM_SANITIZED
    EXPECT_LT(grown_kb, 160'000);
#endif
    EXPECT_LE(publishing.stat("queued-bytes"), kMegabytesKept * kMegabyte);
    // Up to five lines were under way when they were pushed out.
    EXPECT_GE(publishing.stat("dropped") + publishing.stat("published"), 301U - kMegabytesKept - 5);
  }
}

TEST(PublishLimits, WhatTheLibraryRefusesIsAnErrorAtTheStart) {
  if (!real_broker("mqtt")) GTEST_SKIP() << "needs mosquitto";
  const struct {
    std::string location, properties, said;
  } cases[] = {
      {"mqtt://127.0.0.1:1/people/%ff", "", "topic"},
      {"mqtt://127.0.0.1:1/people%0Agate", "", "topic"},
      {"mqtt://127.0.0.1:1/people/+", "", "topic"},
      {"mqtt://127.0.0.1:1/people/%23", "", "topic"},
      {"mqtt://127.0.0.1:1/people%00", "", "topic"},
      {"mqtt://127.0.0.1:1/", "", "topic"},
      {"mqtt://127.0.0.1:1/" + std::string(65536, 'a'), "", "topic"},
      {"mqtt://%ff:secret@127.0.0.1:1/people", "", "user"},
      {"mqtt://127.0.0.1:1/people", "client-id=a\x01", "client-id"},
      {"redis://127.0.0.1:1/people", "client-id=\"a b\"", "client-id"},
      {"redis://127.0.0.1:1/", "", "stream"},
  };
  for (const auto& [location, properties, said] : cases) {
    SCOPED_TRACE(location.substr(0, 60) + " " + properties);
    Publishing publishing(location, properties);
    EXPECT_EQ(publishing.play(), GST_STATE_CHANGE_FAILURE);
    const std::vector<Message> errors = publishing.messages.all(GST_MESSAGE_ERROR);
    ASSERT_FALSE(errors.empty());
    EXPECT_NE(errors[0].text.find(said), std::string::npos) << errors[0].text;
    EXPECT_EQ(errors[0].text.find("secret"), std::string::npos) << errors[0].text;
  }
}

TEST(PublishLimits, ALineThatTheQueueCannotHoldIsLeftOut) {
  const auto server = real_broker("redis");
  if (!server) GTEST_SKIP() << "needs redis-server";
  server->start();
  Publishing publishing(server->location(), "queue-bytes=1000 drain-timeout=60");
  publishing.play();
  std::vector<std::string> wanted;
  for (int i = 0; i < 9; ++i) {
    std::string line = long_line(i, i % 2 == 0 ? 1001 : 1000);
    publishing.push_line(line);
    if (i % 2 == 0) continue;
    wanted.push_back(line);
    EXPECT_TRUE(comes_true([&] { return publishing.stat("published") == wanted.size(); }));
  }
  publishing.end();
  publishing.messages.wait(GST_MESSAGE_EOS);
  EXPECT_EQ(server->received(), wanted);
  EXPECT_EQ(publishing.stat("too-long"), 5U);
  EXPECT_EQ(publishing.stat("dropped"), 0U);
  const std::vector<Message> warnings = publishing.messages.all(GST_MESSAGE_WARNING);
  ASSERT_EQ(warnings.size(), 3U);  // of the first, the second and the fourth
  EXPECT_NE(warnings[0].text.find("1001 bytes, of frame 0,"), std::string::npos)
      << warnings[0].text;
  EXPECT_NE(warnings[2].text.find("of frame 6,"), std::string::npos) << warnings[2].text;
}

// A limit that the broker alone knows. Redis names it, Mosquitto closes the connection.
TEST(PublishLimits, ALineThatTheBrokerDoesNotTakeIsLeftOut) {
  for (const char* protocol : {"mqtt", "redis"}) {
    SCOPED_TRACE(protocol);
    const auto broker = real_broker(protocol);
    if (!broker) continue;
    broker->most_line_bytes = 1 << 20;  // Redis takes no lower limit
    broker->start();
    broker->begin_to_read();
    Publishing publishing(broker->location(), "drain-timeout=60");
    publishing.play();
    std::vector<std::string> wanted;
    for (int i = 0; i < 12; ++i) {
      std::string line = long_line(i, i == 5 ? 2 * kMegabyte : 1000);
      publishing.push_line(line);
      if (i != 5) wanted.push_back(std::move(line));
    }
    publishing.end();
    publishing.messages.wait(GST_MESSAGE_EOS);
    EXPECT_TRUE(comes_true([&] { return first_arrivals(broker->received()) == wanted; }));
    EXPECT_EQ(publishing.stat("published"), 11U);
    EXPECT_EQ(publishing.stat("too-long"), 1U);
    EXPECT_TRUE(publishing.messages.all(GST_MESSAGE_ERROR).empty());
    int told = 0;
    for (const Message& one : publishing.messages.all(GST_MESSAGE_WARNING))
      told += one.text.find("2000000 bytes, of frame 5,") != std::string::npos;
    EXPECT_EQ(told, 1);
  }
}

void expect_safe(const std::string& text) {
  EXPECT_TRUE(g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr)) << text;
  for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ' && c != 0x7f) << text;
}

TEST(PublishLimits, AServersWordsCannotSteerATerminal) {
  if (!real_broker("redis")) GTEST_SKIP() << "needs redis-server";
  // Colours, the window's title, a control byte of ISO 8859, a byte that is no UTF-8.
  TcpServer server([](int client) {
    TcpServer::receive(client);
    TcpServer::send(client, "-ERR \x1b[31mred \x1b]0;title\x07 \xc2\x9b \xff " +
                                std::string(100'000, 'x') + "\r\n");
  });
  Publishing publishing("redis://127.0.0.1:" + server.port() + "/people%1b%5b31m");
  publishing.play();
  publishing.push(1);
  const Message error = publishing.messages.wait(GST_MESSAGE_ERROR);
  expect_safe(error.text);
  EXPECT_NE(error.text.find("red"), std::string::npos) << error.text;
  EXPECT_LT(error.text.size(), 2000U);
}

}  // namespace
}  // namespace tandem::test
