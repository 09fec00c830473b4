// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/nvml.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/energy/loaded_nvml.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;
using test::LoadedNvml;

// A counter on the stand-in, sampled every 20 ms of its own time.
class Sampled {
 public:
  explicit Sampled(NvmlOptions options = {}) {
    options.library = LoadedNvml::path();
    counter_.emplace(options, description_);
  }
  std::optional<EnergyReading> sample(MeterClock::duration after = 20ms) {
    now_ += after;
    answered_ = counter_->sample(now_, messages_);
    return counter_->reading();
  }
  std::vector<std::string> messages() { return messages_.take(); }
  const MeterDescription& description() const { return description_; }
  bool answered() const { return answered_; }

 private:
  MeterDescription description_;
  MessageBox messages_;
  std::optional<NvmlCounter> counter_;
  bool answered_ = false;
  MeterClock::time_point now_ = MeterClock::time_point() + 1h;
};

std::vector<NvmlLibrary::Gpu> gpus() {
  return {{nullptr, "NVIDIA GeForce RTX 4080 Ti", "00000000:13:00.0"},
          {nullptr, "NVIDIA GeForce RTX 4080", "00000000:23:00.0"},
          {nullptr, "NVIDIA GeForce RTX 4080", "00000000:E3:00.0"}};
}

TEST(ChooseGpu, ByTheOpenclDevice) {
  EXPECT_EQ(choose_gpu(gpus(), {"", "", "NVIDIA GeForce RTX 4080", ""}), 1u);
  EXPECT_EQ(choose_gpu(gpus(), {"", "", "NVIDIA GeForce RTX 4080", "0000:e3:00.0"}), 2u);
  EXPECT_EQ(choose_gpu(gpus(), {}), 0u);
}

TEST(ChooseGpu, ByHand) {
  EXPECT_EQ(choose_gpu(gpus(), {"", "2", "NVIDIA GeForce RTX 4080", ""}), 2u);
  EXPECT_EQ(choose_gpu(gpus(), {"", "e3:00.0", "", ""}), 2u);
  EXPECT_EQ(choose_gpu(gpus(), {"", "4080 ti", "", ""}), 0u);
}

TEST(ChooseGpu, SaysWhatThereIs) {
  for (const NvmlOptions& options :
       {NvmlOptions{"", "3", "", ""}, NvmlOptions{"", "H100", "", ""},
        NvmlOptions{"", "99999999999999999999999", "", ""}, NvmlOptions{"", "", "Arc A770", ""}}) {
    try {
      choose_gpu(gpus(), options);
      FAIL() << options.gpu;
    } catch (const EnergyUnavailable& error) {
      EXPECT_NE(error.advice.find("RTX 4080 Ti (00000000:13:00.0)"), std::string::npos);
    }
  }
  EXPECT_THROW(choose_gpu({}, {}), EnergyUnavailable);
}

TEST(Nvml, CountsJoulesOfTheDevice) {
  LoadedNvml nvml;
  Sampled sampled;
  EXPECT_EQ(sampled.description().coverage, "NVIDIA H200 (00000000:13:00.0): device (G)");
  EXPECT_EQ(sampled.description().covers, (PerDomain<bool>{false, true, false}));
  EXPECT_EQ(sampled.description().coarsest_resolution_s(), 0.1);
  const auto first = sampled.sample();
  nvml->gpus[0].energy_mj += 70'000;
  const auto second = sampled.sample(100ms);
  const auto third = sampled.sample();  // no new value yet
  EXPECT_DOUBLE_EQ(*energy_between_j(*first, *second).g, 70);
  EXPECT_DOUBLE_EQ(*power_between_w(*first, *second).g, 700);
  EXPECT_EQ(third->g.at, second->g.at);
  EXPECT_FALSE(third->c.since_open_j);
  EXPECT_TRUE(sampled.messages().empty());
}

TEST(Nvml, JumpsAreUnknownAndToldOnce) {
  LoadedNvml nvml;
  Sampled sampled;
  const auto first = sampled.sample();
  nvml->gpus[0].energy_mj = 3;  // the driver was loaded anew
  const auto second = sampled.sample();
  EXPECT_FALSE(energy_between_j(*first, *second).g);
  nvml->gpus[0].energy_mj = 9'000'000'000;
  EXPECT_FALSE(energy_between_j(*second, *sampled.sample()).g);
  EXPECT_EQ(sampled.messages().size(), 2u);  // back, and far
  nvml->gpus[0].energy_mj = 3;
  sampled.sample();
  EXPECT_TRUE(sampled.messages().empty());
}

TEST(Nvml, AStoppedCounterIsUnknown) {
  LoadedNvml nvml;
  Sampled sampled;
  sampled.sample();
  EXPECT_FALSE(sampled.sample(3s));
  EXPECT_EQ(sampled.messages().size(), 1u);
}

TEST(Nvml, ALostGpuIsUnknownAndToldOnce) {
  LoadedNvml nvml;
  Sampled sampled;
  const auto first = sampled.sample();
  nvml->gpus[0].energy_status = test::kNvmlGpuIsLost;
  EXPECT_FALSE(sampled.sample());
  EXPECT_FALSE(sampled.answered());
  EXPECT_FALSE(sampled.sample());
  const std::vector<std::string> messages = sampled.messages();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("GPU is lost"), std::string::npos) << messages[0];
  nvml->gpus[0].energy_status = 0;
  EXPECT_FALSE(energy_between_j(*first, *sampled.sample()).g);
}

TEST(Nvml, WithoutACounterPowerIsAddedUp) {
  LoadedNvml nvml;
  nvml->gpus[0].energy_status = test::kNvmlNotSupported;
  Sampled sampled;
  EXPECT_NE(sampled.description().coverage.find("power readings"), std::string::npos);
  nvml->gpus[0].power_mw = 100'000;
  const auto first = sampled.sample();
  nvml->gpus[0].power_mw = 300'000;
  const auto second = sampled.sample(100ms);
  EXPECT_NEAR(*energy_between_j(*first, *second).g, 20, 1e-9);  // 200 W on average
  const auto third = sampled.sample(10s);                       // what was between, nobody knows
  ASSERT_TRUE(third);
  EXPECT_FALSE(energy_between_j(*second, *third).g);
  nvml->gpus[0].power_mw = 4'000'000'000;
  EXPECT_FALSE(energy_between_j(*third, *sampled.sample(100ms)).g);
  EXPECT_EQ(sampled.messages().size(), 1u);
}

TEST(Nvml, ADeviceThatTellsNothing) {
  LoadedNvml nvml;
  nvml->gpus[0].energy_status = nvml->gpus[0].power_status = test::kNvmlNotSupported;
  EXPECT_THROW(Sampled(), EnergyUnavailable);
  EXPECT_EQ(nvml->users, 0);
}

TEST(Nvml, NoDriver) {
  LoadedNvml nvml;
  nvml->init_status = test::kNvmlDriverNotLoaded;
  try {
    Sampled sampled;
    FAIL();
  } catch (const EnergyUnavailable& error) {
    EXPECT_EQ(error.reason, EnergyUnavailable::Reason::broken);
    EXPECT_NE(std::string(error.what()).find("Driver Not Loaded"), std::string::npos);
    EXPECT_NE(error.advice, "");
  }
  EXPECT_THROW(NvmlLibrary("libno-such-library.so.1"), EnergyUnavailable);
  EXPECT_THROW(NvmlLibrary("libm.so.6"), EnergyUnavailable);  // not what it should be
}

// Whoever begins to follow comes at any time between two values.
TEST(Nvml, AValueIsFoundSoonByFewCalls) {
  using Values = std::chrono::duration<int64_t, std::ratio<1, 10>>;
  for (int begin_ms = 0; begin_ms < 100; ++begin_ms) {
    SCOPED_TRACE(begin_ms);
    AskingTimes asking;
    MeterClock::time_point now{1s + std::chrono::milliseconds(begin_ms)}, found_at{};
    int found = 0, calls = 0;
    for (Values last{0}; found < 10; now += asking.pause()) {
      const Values newest = std::chrono::floor<Values>(now.time_since_epoch());
      if (newest != last) {
        last = newest;
        found_at = now;
        if (++found > 2) {
          EXPECT_LE(now.time_since_epoch() - newest, 5ms);
        }
      }
      asking.asked(now, found_at);
      ++calls;
    }
    EXPECT_LE(calls, 26 + 5 * 10);
  }
}

TEST(Nvml, ACounterWhoseValueDoesNotComeIsNotAskedOften) {
  AskingTimes asking;
  const MeterClock::time_point found_at{1s};
  asking.asked(found_at, found_at);
  asking.asked(found_at + 200ms, found_at);
  EXPECT_GE(asking.pause(), 20ms);
}

TEST(NvmlMeter, SamplesOnAThreadOfItsOwn) {
  LoadedNvml nvml;
  NvmlOptions options;
  options.library = LoadedNvml::path();
  {
    NvmlMeter meter(options);
    const auto first = meter.read();
    ASSERT_TRUE(first);
    nvml->gpus[0].energy_mj += 4'000;
    const auto deadline = MeterClock::now() + 60s;
    std::optional<EnergyReading> last = first;
    while (last && last->g.since_open_j == first->g.since_open_j && MeterClock::now() < deadline) {
      std::this_thread::yield();
      last = meter.read();
    }
    ASSERT_TRUE(last);
    EXPECT_DOUBLE_EQ(*energy_between_j(*first, *last).g, 4);
  }
  EXPECT_EQ(nvml->users, 0);
}

TEST(NvmlMeter, MetersOfOneGpuShareWhoAsks) {
  LoadedNvml nvml(2);
  NvmlOptions first_gpu, second_gpu;
  first_gpu.library = second_gpu.library = LoadedNvml::path();
  first_gpu.gpu = "0";
  second_gpu.gpu = "1";
  {
    NvmlMeter early(first_gpu);
    nvml->gpus[0].energy_mj += 4'000;
    while (*early.read()->g.since_open_j < 4) std::this_thread::yield();
    NvmlMeter late(first_gpu);
    EXPECT_EQ(nvml->users, 1);
    EXPECT_EQ(*late.read()->g.since_open_j, 0) << "counted from its opening on";
    NvmlMeter other(second_gpu);
    EXPECT_EQ(nvml->users, 2);
    const std::shared_ptr<void> token = late.follow_closely();
    nvml->gpus[0].energy_mj += 1'000;
    while (*late.read()->g.since_open_j < 1) std::this_thread::yield();
    EXPECT_DOUBLE_EQ(*early.read()->g.since_open_j, 5);
    EXPECT_EQ(*other.read()->g.since_open_j, 0);
  }
  EXPECT_EQ(nvml->users, 0);
}

}  // namespace
}  // namespace tandem
