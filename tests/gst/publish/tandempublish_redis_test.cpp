// SPDX-License-Identifier: LGPL-2.1-or-later
// What a Redis server may answer beside "yes".
#include <gtest/gtest.h>

#include "tests/gst/publish/publishing.h"
#include "tests/gst/publish/real_broker.h"

namespace tandem::test {
namespace {

class RedisAnswers : public testing::Test {
 protected:
  void SetUp() override {
    server_ = real_broker("redis");
    if (!server_) GTEST_SKIP() << "needs redis-server";
    server_->start();
  }
  std::unique_ptr<RealBroker> server_;
};

TEST_F(RedisAnswers, AKeyThatIsNoStreamIsAnError) {
  server_->ask({"SET", "site/people", "a string"});
  Publishing publishing(server_->location());
  publishing.play();
  publishing.push(1);
  const Message error = publishing.messages.wait(GST_MESSAGE_ERROR);
  EXPECT_NE(error.text.find("is not a stream: use another key"), std::string::npos) << error.text;
}

// A server without memory refuses lines; later it has some again. None overtakes another.
TEST_F(RedisAnswers, OutOfMemoryIsAnOutage) {
  Publishing publishing(server_->location(), "drain-timeout=60");
  publishing.play();
  publishing.push(5);
  EXPECT_TRUE(comes_true([&] { return publishing.stat("published") == 5; }));
  server_->ask({"CONFIG", "SET", "maxmemory", "1"});
  publishing.push(150, {});
  EXPECT_NE(publishing.messages.wait(GST_MESSAGE_WARNING).text.find("No connection"),
            std::string::npos);
  server_->ask({"CONFIG", "SET", "maxmemory", "0"});
  publishing.push(5);
  publishing.end();
  publishing.messages.wait(GST_MESSAGE_EOS);
  EXPECT_TRUE(publishing.messages.all(GST_MESSAGE_ERROR).empty());
  EXPECT_EQ(server_->received(), lines(0, 160));
}

TEST_F(RedisAnswers, TheStreamIsCut) {
  Publishing publishing(server_->location() + "?maxlen=200", "drain-timeout=60");
  publishing.play();
  publishing.push(2000, {});
  publishing.end();
  publishing.messages.wait(GST_MESSAGE_EOS);
  EXPECT_EQ(publishing.stat("published"), 2000U);
  const std::vector<std::string> left = server_->received();
  EXPECT_GE(left.size(), 200U);
  EXPECT_LT(left.size(), 400U);  // whole nodes of 100 entries go
  EXPECT_EQ(left.back(), line_of(1999));
}

TEST_F(RedisAnswers, TheConnectionHasAName) {
  Publishing publishing(server_->location(), "client-id=gate");
  publishing.play();
  publishing.push(1);
  EXPECT_TRUE(comes_true([&] { return publishing.stat("published") == 1; }));
  EXPECT_NE(server_->ask({"CLIENT", "LIST"}).find("name=gate"), std::string::npos);
}

}  // namespace
}  // namespace tandem::test
