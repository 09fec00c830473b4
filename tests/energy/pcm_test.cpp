// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/pcm.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/energy/http_server.h"
#include "tests/energy/pcm_json.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;
using test::pcm_json;
using test::PcmJson;

const PcmJson kDebian12{1, "51234.5", "4321.5", "", "", "84000000"};
const PcmJson kNewer{1, "51234.5", "0", "30000", "1000", "84000000"};
const PcmJson kServer{2, "51234.5", "4321.5", "0", "0", "84000000"};  // PP0, PP1: it has none

// A counter and the clock of the machine it is on.
class Counter {
 public:
  explicit Counter(const PcmJson& since_start, bool device_in_package = true) {
    std::string error;
    counter_.emplace(*parse_pcm_sample(pcm_json(since_start), error), device_in_package,
                     description_);
  }
  // An answer half a second after the one before.
  std::optional<EnergyReading> add(const HttpResult& answer) {
    now_ += 500ms;
    counter_->add(answer, now_, "localhost:9738", messages_);
    return counter_->reading();
  }
  // A new sample, seen twice, as at two requests a second.
  std::optional<EnergyReading> add(const PcmJson& values) {
    add(HttpResult{pcm_json(values), ""});
    return add(HttpResult{pcm_json(values), ""});
  }
  std::vector<std::string> messages() { return messages_.take(); }
  const MeterDescription& description() const { return description_; }
  bool failing() const { return counter_->failing(); }
  void pass(MeterClock::duration time) { now_ += time; }

 private:
  MeterDescription description_;
  MessageBox messages_;
  std::optional<PcmCounter> counter_;
  MeterClock::time_point now_ = MeterClock::time_point() + 1h;
};

// One second of Debian 12's version; `residency` makes samples with the same joules differ.
PcmJson second_of_debian(const std::string& package_j, const std::string& residency = "0.5") {
  return {1, package_j, "2", "", "", "1000000", residency};
}

TEST(PcmSample, ReadsWhatIsThere) {
  std::string error;
  const auto debian = parse_pcm_sample(pcm_json(kDebian12), error);
  ASSERT_TRUE(debian) << error;
  EXPECT_EQ(debian->package_j, 51234.5);
  EXPECT_EQ(debian->memory_j, 4321.5);
  EXPECT_FALSE(debian->cores_j);
  EXPECT_FALSE(debian->device_j);
  EXPECT_EQ(debian->interval_s, 84.0);
  const auto server = parse_pcm_sample(pcm_json(kServer), error);
  EXPECT_EQ(server->package_j, 102469.0);
  EXPECT_EQ(server->cores_j, 0.0);
}

TEST(PcmSample, WhatIsNotANumberIsUnknown) {
  std::string error;
  PcmJson values = kNewer;
  values.residency = "-nan";  // printed for a ratio of zeros; not JSON
  values.cores_j = "nan";
  values.memory_j = "\"-inf\"";
  values.device_j = "inf";
  const auto sample = parse_pcm_sample(pcm_json(values), error);
  ASSERT_TRUE(sample) << error;
  EXPECT_TRUE(sample->package_j);
  EXPECT_FALSE(sample->cores_j);
  EXPECT_FALSE(sample->memory_j);
  EXPECT_FALSE(sample->device_j);
}

TEST(PcmSample, SaysWhatIsWrongWithAnAnswer) {
  for (const std::string body :
       {"", "{", "<!DOCTYPE html>", "[]", "null", "{\"Sockets\": 3}", "{\"Sockets\": []}", "nan",
        "\"\\", "{\"Sockets\": [{\"Uncore\": "}) {
    std::string error;
    EXPECT_FALSE(parse_pcm_sample(body, error)) << body;
    EXPECT_NE(error, "") << body;
  }
  std::string error;
  const auto sample = parse_pcm_sample("{\"Sockets\": [1, {\"Uncore\": []}]}", error);
  ASSERT_TRUE(sample);
  EXPECT_FALSE(sample->package_j);
}

TEST(PcmCounter, CoversWhatTheServerTells) {
  EXPECT_EQ(Counter(kDebian12).description().covers, (PerDomain<bool>{false, false, true}));
  EXPECT_EQ(Counter(kNewer).description().covers, (PerDomain<bool>{true, true, true}));
  EXPECT_EQ(Counter(kNewer, false).description().covers, (PerDomain<bool>{true, false, true}));
  EXPECT_EQ(Counter(kServer).description().covers, (PerDomain<bool>{false, false, true}));
  EXPECT_NE(Counter(kServer).description().coverage.find("2 packages"), std::string::npos);
  EXPECT_EQ(Counter(kNewer).description().coarsest_resolution_s(), 1.0);
  EXPECT_THROW(Counter(PcmJson{}), EnergyUnavailable);
}

TEST(PcmCounter, AddsUpEachSampleOnce) {
  Counter counter(kDebian12);
  const auto first = counter.add(second_of_debian("20"));
  const auto second = counter.add(second_of_debian("30.5"));
  const auto third = counter.add(second_of_debian("9.5"));
  ASSERT_TRUE(first && third);
  EXPECT_DOUBLE_EQ(*energy_between_j(*first, *second).u, 32.5);  // with 2 J of memory
  EXPECT_DOUBLE_EQ(*energy_between_j(*first, *third).u, 44.0);
  EXPECT_DOUBLE_EQ(*power_between_w(*first, *third).u, 22.0);
  EXPECT_TRUE(counter.messages().empty());
}

TEST(PcmCounter, SplitsThePackageOfNewerVersions) {
  Counter counter(kNewer);
  const auto first = counter.add(PcmJson{1, "20", "0", "12", "3", "1000000"});
  const auto second = counter.add(PcmJson{1, "30", "0", "17", "4", "1000000"});
  const EnergyDomains energy = energy_between_j(*first, *second);
  EXPECT_DOUBLE_EQ(*energy.c, 17);
  EXPECT_DOUBLE_EQ(*energy.g, 4);
  EXPECT_DOUBLE_EQ(*energy.u, 9);
}

TEST(PcmCounter, ADeadServerIsUnknownAndToldOnce) {
  Counter counter(kDebian12);
  const auto first = counter.add(second_of_debian("20"));
  EXPECT_FALSE(counter.add(HttpResult{"", "Connection refused"}));
  EXPECT_FALSE(counter.add(HttpResult{"", "Connection timed out"}));
  EXPECT_TRUE(counter.failing());
  EXPECT_EQ(counter.messages().size(), 1u);
  const auto later = counter.add(second_of_debian("21"));
  EXPECT_FALSE(counter.failing());
  EXPECT_FALSE(energy_between_j(*first, *later).u);
  const auto last = counter.add(second_of_debian("22"));
  EXPECT_DOUBLE_EQ(*energy_between_j(*later, *last).u, 24);
  EXPECT_TRUE(counter.messages().empty());
}

TEST(PcmCounter, LiesAreUnknownAndToldOnce) {
  for (const std::string lie : {"-1", "0", "1e15", "nan", "1e400", "\"20\""}) {
    Counter counter(kDebian12);
    const auto first = counter.add(second_of_debian("20"));
    EXPECT_FALSE(counter.add(second_of_debian(lie))) << lie;
    EXPECT_FALSE(counter.add(second_of_debian(lie, "0.4"))) << lie;
    EXPECT_EQ(counter.messages().size(), 1u) << lie;
    const auto last = counter.add(second_of_debian("21"));
    ASSERT_TRUE(last) << lie;
    EXPECT_FALSE(energy_between_j(*first, *last).u) << lie;
  }
}

TEST(PcmCounter, AnIntervalThatCannotBeIsALie) {
  for (const std::string interval_us : {"0", "-1000000", "1e12", "nan"}) {
    Counter counter(kDebian12);
    PcmJson values = second_of_debian("20");
    values.interval_us = interval_us;
    const auto reading = counter.add(values);
    // Without a number the server's second is taken; a wrong number is not believed.
    EXPECT_EQ(reading.has_value(), interval_us == "nan") << interval_us;
  }
}

TEST(PcmCounter, BrokenJsonIsUnknownAndToldOnce) {
  Counter counter(kDebian12);
  counter.add(second_of_debian("20"));
  EXPECT_FALSE(counter.add(HttpResult{"{", ""}));
  EXPECT_FALSE(counter.add(HttpResult{"{{", ""}));
  const std::vector<std::string> messages = counter.messages();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("localhost:9738"), std::string::npos) << messages[0];
}

TEST(PcmCounter, OneSampleForEverIsUnknown) {
  Counter counter(kDebian12);
  EXPECT_TRUE(counter.add(second_of_debian("20")));
  std::optional<EnergyReading> reading;
  for (int i = 0; i < 4; ++i) reading = counter.add(second_of_debian("20"));
  EXPECT_FALSE(reading);
  EXPECT_TRUE(counter.failing());
  EXPECT_EQ(counter.messages().size(), 1u);
}

TEST(PcmCounter, ASampleThatMayHaveBeenMissedIsABreak) {
  Counter counter(kDebian12);
  const auto first = counter.add(second_of_debian("20"));
  counter.pass(1s);  // this process was not scheduled
  const auto second = counter.add(second_of_debian("21"));
  ASSERT_TRUE(second);
  EXPECT_FALSE(energy_between_j(*first, *second).u);
  EXPECT_TRUE(counter.messages().empty());
}

// Through a real socket and the meter's own thread.
TEST(PcmMeter, ReadsFromAServer) {
  std::atomic<int> samples = 0;
  const test::HttpServer server([&](const std::string& path) {
    if (path == "/") return test::http_ok(pcm_json(kDebian12));
    EXPECT_EQ(path, "/persecond");
    return test::http_ok(pcm_json(second_of_debian(std::to_string(++samples))));
  });
  PcmOptions options;
  options.port = server.port();
  options.timeout = 60s;
  PcmMeter meter(options);
  const auto deadline = MeterClock::now() + 60s;
  std::optional<EnergyReading> reading;
  while (!(reading = meter.read()) && MeterClock::now() < deadline) std::this_thread::yield();
  ASSERT_TRUE(reading);
  EXPECT_TRUE(reading->u.since_open_j);
  EXPECT_FALSE(reading->c.since_open_j);
}

TEST(PcmMeter, EndsWhileTheServerIsSilent) {
  const test::HttpServer server([](const std::string& path) -> std::optional<std::string> {
    if (path == "/") return test::http_ok(pcm_json(kDebian12));
    return std::nullopt;
  });
  PcmOptions options;
  options.port = server.port();
  options.timeout = 1h;  // it would hang for as long if it were not told to stop
  PcmMeter meter(options);
  while (server.requests().size() < 2) std::this_thread::yield();
  EXPECT_FALSE(meter.read());
}

TEST(PcmMeter, NoServerSaysHowToGetOne) {
  PcmOptions options;
  options.port = test::closed_port();
  try {
    PcmMeter meter(options);
    FAIL();
  } catch (const EnergyUnavailable& error) {
    EXPECT_EQ(error.reason, EnergyUnavailable::Reason::absent);
    EXPECT_NE(error.advice.find("apt-get install pcm"), std::string::npos);
  }
}

TEST(PcmMeter, AnotherServerOnThatPortIsNotBelieved) {
  const test::HttpServer server([](const std::string&) { return test::http_ok("<html></html>"); });
  PcmOptions options;
  options.port = server.port();
  EXPECT_THROW(PcmMeter{options}, EnergyUnavailable);
}

}  // namespace
}  // namespace tandem
