// SPDX-License-Identifier: LGPL-2.1-or-later
// What a build without libmosquitto and hiredis links: every build compiles it, and it says what is
// missing.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "gst/publish/brokers.h"
#include "pipelines/jobs/redis/connection.h"

namespace tandem::test {
namespace {

TEST(Stubs, SayWhatToInstall) {
  EXPECT_NE(std::string_view(kMqttProtocol.missing).find("libmosquitto-dev"),
            std::string_view::npos);
  EXPECT_NE(std::string_view(kRedisProtocol.missing).find("libhiredis-dev"),
            std::string_view::npos);
}

TEST(Stubs, OpenNothing) {
  try {
    RedisConnection connection({});
    ADD_FAILURE() << "connected";
  } catch (const RedisError& e) {
    EXPECT_TRUE(e.hopeless);
    EXPECT_NE(std::string(e.what()).find("libhiredis-dev"), std::string::npos);
  }
}

}  // namespace
}  // namespace tandem::test
