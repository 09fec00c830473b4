// SPDX-License-Identifier: LGPL-2.1-or-later
// What a build without libmosquitto and hiredis links: every build compiles it, and it says what is
// missing.
#include <gtest/gtest.h>

#include <stdexcept>

#include "gst/publish/brokers.h"
#include "pipelines/jobs/redis/connection.h"

namespace tandem::test {
namespace {

using Protocol = Location::Protocol;

TEST(Stubs, SayWhatToInstall) {
  EXPECT_NE(missing_support(Protocol::kMqtt).find("libmosquitto-dev"), std::string::npos);
  EXPECT_NE(missing_support(Protocol::kRedis).find("libhiredis-dev"), std::string::npos);
}

TEST(Stubs, OpenNothing) {
  EXPECT_THROW(open_mqtt({}, "", "127.0.0.1"), std::runtime_error);
  EXPECT_THROW(open_redis({}, "", "127.0.0.1"), std::runtime_error);
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
