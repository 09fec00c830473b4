// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/http_get.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/energy/http_server.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;
using test::HttpServer;

constexpr auto kLong = 60s;  // never reached
constexpr std::size_t kMostBytes = 1 << 20;

HttpResult fetch(const HttpServer& server, std::chrono::milliseconds timeout = kLong) {
  return HttpClient("localhost", server.port()).get("/x", timeout, kMostBytes, -1);
}

HttpResult fetch_reply(const std::string& reply) {
  const HttpServer server([&](const std::string&) { return reply; });
  return fetch(server);
}

TEST(HttpGet, FetchesADocument) {
  const HttpServer server([](const std::string& path) { return test::http_ok("body of " + path); });
  const HttpResult result = fetch(server);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.body, "body of /x");
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_NE(server.requests()[0].find("Accept: application/json\r\n"), std::string::npos);
}

TEST(HttpGet, WithoutALengthTheBodyEndsWithTheConnection) {
  EXPECT_EQ(fetch_reply("HTTP/1.0 200 OK\r\n\r\nall of it").body, "all of it");
}

TEST(HttpGet, SaysWhatTheServerSaid) {
  EXPECT_NE(fetch_reply("HTTP/1.1 404 Not Found\r\n\r\n").error.find("404 Not Found"),
            std::string::npos);
  EXPECT_NE(fetch_reply("SSH-2.0-OpenSSH_9.2\r\n\r\n").error.find("HTTP"), std::string::npos);
}

TEST(HttpGet, RefusesWhatItCannotRead) {
  EXPECT_NE(fetch_reply("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").error,
            "");
  EXPECT_NE(fetch_reply("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n").error, "");
  EXPECT_NE(fetch_reply("HTTP/1.1 200 OK\r\nContent-Length:").error, "");
}

TEST(HttpGet, NoticesAnAnswerThatEndsTooEarly) {
  EXPECT_NE(fetch_reply("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort").error, "");
  EXPECT_NE(fetch_reply("HTTP/1.1 200").error, "");
  EXPECT_NE(fetch_reply("").error, "");
}

TEST(HttpGet, StopsAtTheLimit) {
  const std::string huge(4 * kMostBytes, 'x');
  EXPECT_NE(fetch_reply("HTTP/1.1 200 OK\r\n\r\n" + huge).error.find("1 MiB"), std::string::npos);
  EXPECT_NE(fetch_reply(huge).error.find("1 MiB"), std::string::npos);  // no head at all
  EXPECT_NE(fetch_reply("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n").error,
            "");
}

TEST(HttpGet, GivesUpOnASilentServer) {
  const HttpServer server([](const std::string&) { return std::nullopt; });
  EXPECT_NE(fetch(server, 20ms).error, "");
}

TEST(HttpGet, GivesUpWhenToldTo) {
  const HttpServer server([](const std::string&) { return std::nullopt; });
  const int stop = eventfd(1, EFD_CLOEXEC);
  EXPECT_NE(HttpClient("localhost", server.port()).get("/", kLong, kMostBytes, stop).error, "");
  close(stop);
}

TEST(HttpGet, NobodyListens) {
  const HttpClient client("localhost", test::closed_port());
  EXPECT_NE(client.get("/", kLong, kMostBytes, -1).error, "");
}

TEST(HttpGet, UnknownHost) {
  EXPECT_THROW(HttpClient("no.such.host.invalid", 80), std::runtime_error);
}

}  // namespace
}  // namespace tandem
