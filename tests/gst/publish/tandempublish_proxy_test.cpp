// SPDX-License-Identifier: LGPL-2.1-or-later
// A network that cuts connections, at any byte.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>

#include "tests/gst/publish/publishing.h"
#include "tests/gst/publish/real_broker.h"
#include "tests/gst/publish/tcp_server.h"

namespace tandem::test {
namespace {

/// Stands before a broker and cuts each connection after some bytes in both directions together,
/// until it has cut as many as it should.
class CuttingProxy {
 public:
  CuttingProxy(std::string broker_port, int cuts, unsigned seed)
      : broker_port_(std::move(broker_port)), left_(cuts), random_(seed) {}

  int left() const { return left_; }
  const std::string& port() const { return server_.port(); }

 private:
  void serve(int client) {
    const bool cuts = left_ > 0;
    std::size_t most = cuts ? random_() % kMostBytes : SIZE_MAX;
    const int broker = TcpServer::connect(broker_port_);
    pollfd files[] = {{client, POLLIN, 0}, {broker, POLLIN, 0}};
    while (poll(files, 2, -1) > 0 && forward(files[0], broker, most) &&
           forward(files[1], client, most)) {
    }
    close(broker);
    if (cuts && most == 0) --left_;
  }

  // Whether to go on.
  static bool forward(const pollfd& from, int to, std::size_t& most) {
    if (from.revents == 0) return true;
    std::string bytes = TcpServer::receive(from.fd);
    if (bytes.empty()) return false;
    bytes.resize(std::min(bytes.size(), most));
    most -= bytes.size();
    return TcpServer::send(to, bytes) && most > 0;
  }

  static constexpr unsigned kMostBytes = 400'000;
  const std::string broker_port_;
  std::atomic<int> left_;
  std::mt19937 random_;  // the server's thread's
  TcpServer server_{[this](int client) { serve(client); }};
};

class CutConnections : public testing::TestWithParam<const char*> {};

TEST_P(CutConnections, LoseNoLine) {
  const auto broker = real_broker(GetParam());
  if (!broker) GTEST_SKIP() << "needs a broker for " << GetParam();
  broker->start();
  broker->begin_to_read();
  constexpr unsigned kSeed = 5;
  CuttingProxy proxy(broker->port(), 12, kSeed);
  std::string location = broker->location();
  location.replace(location.find(broker->port()), broker->port().size(), proxy.port());
  Publishing publishing(location, broker->properties() + "drain-timeout=60");
  publishing.play();
  std::vector<std::string> wanted;
  // Lines of all lengths, some of which a broker might refuse for theirs.
  while (proxy.left() > 0 && publishing.pushed() < 20'000) {
    const int i = publishing.pushed();
    wanted.push_back(R"({"frame":)" + std::to_string(i) + R"(,"text":")" +
                     std::string(i % 50 == 0 ? 20'000 : i % 50 * 40, 'x') + R"("})");
    publishing.push_line(wanted.back());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(proxy.left(), 0);
  publishing.end();
  publishing.messages.wait(GST_MESSAGE_EOS);
  EXPECT_TRUE(comes_true([&] { return first_arrivals(broker->received()) == wanted; }));
  EXPECT_EQ(publishing.stat("published"), wanted.size());
  EXPECT_EQ(publishing.stat("dropped"), 0U);
  EXPECT_EQ(publishing.stat("too-long"), 0U);
  EXPECT_TRUE(publishing.messages.all(GST_MESSAGE_ERROR).empty());
}

INSTANTIATE_TEST_SUITE_P(Real, CutConnections, testing::Values("mqtt", "redis", "mqtts", "rediss"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace tandem::test
