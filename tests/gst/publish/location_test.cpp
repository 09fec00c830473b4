// SPDX-License-Identifier: LGPL-2.1-or-later
// URIs of brokers: what they say, what is wrong with them, and that no password is ever shown.
#include "gst/publish/location.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tandem::test {
namespace {

using Protocol = Location::Protocol;

TEST(Locations, Mqtt) {
  const Location plain = parse_location("mqtt://broker/people");
  EXPECT_EQ(plain.protocol, Protocol::kMqtt);
  EXPECT_EQ(plain.host, "broker");
  EXPECT_EQ(plain.port, 1883);
  EXPECT_EQ(plain.user, "");
  EXPECT_FALSE(plain.password);
  EXPECT_EQ(plain.name, "people");
  EXPECT_EQ(plain.shown(), "mqtt://broker:1883/people");

  const Location full =
      parse_location("mqtt://ann:s%3ac%40%2fret@10.0.0.7:1884/site%201/gate/people");
  EXPECT_EQ(full.user, "ann");
  EXPECT_EQ(full.password, "s:c@/ret");
  EXPECT_EQ(full.host, "10.0.0.7");
  EXPECT_EQ(full.port, 1884);
  EXPECT_EQ(full.name, "site 1/gate/people");
  EXPECT_EQ(full.shown(), "mqtt://ann@10.0.0.7:1884/site 1/gate/people");
  EXPECT_FALSE(parse_location("mqtt://ann@broker/people").password);
  EXPECT_EQ(parse_location("mqtt://ann:@broker/people").password, "");
}

TEST(Locations, Redis) {
  const Location plain = parse_location("redis://broker/people");
  EXPECT_EQ(plain.protocol, Protocol::kRedis);
  EXPECT_EQ(plain.port, 6379);
  EXPECT_EQ(plain.most_lines, 0U);
  const Location full = parse_location("redis://:se@cret@[::1]:7000/people:gate?maxlen=100000");
  EXPECT_EQ(full.user, "");
  EXPECT_EQ(full.password, "se@cret");
  EXPECT_EQ(full.host, "::1");
  EXPECT_EQ(full.port, 7000);
  EXPECT_EQ(full.name, "people:gate");
  EXPECT_EQ(full.most_lines, 100000U);
  EXPECT_EQ(full.shown(), "redis://[::1]:7000/people:gate");
  EXPECT_EQ(parse_location("redis://ann:secret@[::1]/people").user, "ann");
}

TEST(Locations, Tls) {
  const Location mqtt = parse_location("mqtts://ann:secret@broker/people");
  EXPECT_TRUE(mqtt.tls);
  EXPECT_EQ(mqtt.port, 8883);
  EXPECT_EQ(mqtt.shown(), "mqtts://ann@broker:8883/people");
  const Location redis = parse_location("rediss://broker/people?maxlen=7");
  EXPECT_TRUE(redis.tls);
  EXPECT_EQ(redis.port, 6379);
  EXPECT_EQ(redis.most_lines, 7U);
  EXPECT_FALSE(parse_location("mqtt://broker/people").tls);
}

TEST(Locations, APasswordFromElsewhere) {
  EXPECT_EQ(parse_location("mqtt://ann@broker/people", "secret").password, "secret");
  EXPECT_EQ(parse_location("redis://ann@broker/people", "secret").user, "ann");
  EXPECT_EQ(parse_location("redis://broker/people", "secret").password, "secret");
  for (const char* uri : {"mqtt://broker/people", "mqtt://ann:other@broker/people"})
    EXPECT_THROW(parse_location(uri, "secret"), std::invalid_argument) << uri;
}

TEST(Locations, WhatIsWrongIsSaid) {
  const struct {
    const char *uri, *said;
  } cases[] = {
      {"", "the text is not a location"},
      {"broker:secret", "the text is not a location"},
      {"http://u:secret@broker/people", "neither mqtt[s] nor redis[s]"},
      {"mqttss://u:secret@broker/people", "neither mqtt[s] nor redis[s]"},
      {"mqtt://u:secret@/people", "no host"},
      {"mqtt://broker", "no topic or stream"},
      {"mqtt://broker/", "no topic or stream"},
      {"mqtt://broker:0/people", "port"},
      {"mqtt://broker:65536/people", "port"},
      {"mqtt://broker:18x/people", "port"},
      {"mqtt://u:secret/@broker/people", "port"},
      {"mqtt://[::1/people", "not closed"},
      {"mqtt://[::1]1883/people", "no port"},
      {"mqtt://:secret@broker/people", "a password but no user"},
      {"redis://u@broker/people", "a user but no password"},
      {"mqtt://u:secret%@broker/people", "the password has a '%'"},
      {"mqtt://u:secret%4@broker/people", "the password has a '%'"},
      {"mqtt://u:secret%zz@broker/people", "the password has a '%'"},
      {"mqtt://u:secret%00@broker/people", "the password has a '%'"},
      {"mqtt://broker/people/#", "for subscribers"},
      {"mqtt://broker/people/+/gate", "for subscribers"},
      {"mqtt://broker/people?qos=2", "is unknown"},
      {"redis://broker/people?qos=2", "is unknown"},
      {"redis://broker/people?maxlen=", "maxlen"},
      {"redis://broker/people?maxlen=0", "maxlen"},
      {"redis://broker/people?maxlen=-3", "maxlen"},
  };
  for (const auto& [uri, said] : cases) {
    SCOPED_TRACE(uri);
    try {
      parse_location(uri);
      ADD_FAILURE() << "was taken";
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find("secret"), std::string::npos) << e.what();
    }
    EXPECT_EQ(without_password(uri).find("secret") != std::string::npos,
              std::string_view(uri) == "broker:secret");
  }
}

TEST(Locations, Queue) {
  const Location plain = parse_queue_location("redis://:secret@server/people");
  EXPECT_FALSE(plain.tls);
  EXPECT_EQ(plain.name, "people");
  const Location secure = parse_queue_location("rediss://ann:secret@server/people");
  EXPECT_TRUE(secure.tls);
  EXPECT_EQ(secure.port, 6379);
  EXPECT_EQ(secure.shown(), "rediss://ann@server:6379/people");
  for (const char* uri : {"mqtt://u:secret@server/people", "redis://:secret@server/people?maxlen=1",
                          "redis://:secret@server", "mqtts://u:secret@server/people"}) {
    SCOPED_TRACE(uri);
    try {
      parse_queue_location(uri);
      ADD_FAILURE() << "was taken";
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("; a queue is redis[s]://"), std::string::npos);
      EXPECT_EQ(std::string(e.what()).find("secret"), std::string::npos) << e.what();
    }
  }
}

TEST(Locations, WithoutPassword) {
  for (const char* uri : {"", "mqtt://broker/people", "mqtt://ann@broker/people",
                          "redis://[::1]:7000/people", "mqtt://broker:1884/people"}) {
    EXPECT_EQ(without_password(uri), uri);
  }
  EXPECT_EQ(without_password("mqtt://ann:secret@broker:1/p"), "mqtt://ann:...@broker:1/p");
  EXPECT_EQ(without_password("redis://:secret@broker/p"), "redis://:...@broker/p");
  EXPECT_EQ(without_password("mqtt://ann:sec/re@t@broker/p"), "mqtt://ann:...@broker/p");
}

}  // namespace
}  // namespace tandem::test
