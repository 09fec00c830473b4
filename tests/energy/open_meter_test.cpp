// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/open_meter.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/energy/http_server.h"
#include "tests/energy/loaded_nvml.h"
#include "tests/energy/pcm_json.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using State = SourceReport::State;

// A machine without any counter, to which tests add what they need.
class OpenMeter : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "powercap-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    context_.powercap_folder = pattern;
    context_.pcm_port = test::closed_port();
    context_.nvml_library = "libno-such-library.so.1";
  }
  void TearDown() override { fs::remove_all(context_.powercap_folder); }

  void add_rapl() {
    const fs::path zone = fs::path(context_.powercap_folder) / "intel-rapl:0";
    fs::create_directory(zone);
    std::ofstream(zone / "name") << "package-0\n";
    std::ofstream(zone / "max_energy_range_uj") << "262143328850\n";
    std::ofstream(zone / "energy_uj") << "1000\n";
  }

  EnergyContext context_;
};

TEST_F(OpenMeter, AutoWithoutCountersSaysWhatIsMissing) {
  context_.device.name = "NVIDIA H200";
  const OpenedMeter opened = open_meter("auto", context_);
  EXPECT_EQ(opened.meter, nullptr);
  ASSERT_EQ(opened.sources.size(), 3u);
  for (const SourceReport& report : opened.sources) EXPECT_EQ(report.state, State::absent);
  EXPECT_NE(opened.missing.find("apt-get install pcm"), std::string::npos) << opened.missing;
  EXPECT_NE(opened.missing.find("NVIDIA driver"), std::string::npos) << opened.missing;
}

TEST_F(OpenMeter, AutoCombinesTheProcessorAndTheGpu) {
  test::LoadedNvml nvml;
  add_rapl();
  context_.device.name = "NVIDIA H200";
  context_.nvml_library = test::LoadedNvml::path();
  const OpenedMeter opened = open_meter("auto", context_);
  ASSERT_TRUE(opened.meter);
  const MeterDescription& description = opened.meter->description();
  EXPECT_EQ(description.name, "rapl+nvml");
  EXPECT_EQ(description.covers, (PerDomain<bool>{false, true, true}));
  EXPECT_EQ(description.resolution_s.g, 0.1);
  EXPECT_LT(description.resolution_s.u, 0.01);
  EXPECT_NE(description.coverage.find("package-0"), std::string::npos) << description.coverage;
  EXPECT_NE(description.coverage.find("NVIDIA H200"), std::string::npos) << description.coverage;
  const auto reading = opened.meter->read();
  ASSERT_TRUE(reading);
  EXPECT_EQ(since_open_j(*reading), (EnergyDomains{{}, 0.0, 0.0}));
  EXPECT_EQ(opened.missing, "");
  EXPECT_TRUE(opened.meter->take_messages().empty());
}

TEST_F(OpenMeter, AutoTakesPcmWhereRaplIsNot) {
  const test::HttpServer server([](const std::string&) {
    return test::http_ok(test::pcm_json({1, "100", "1", "50", "0", "5000000"}));
  });
  context_.pcm_port = server.port();
  const OpenedMeter opened = open_meter("auto", context_);
  ASSERT_TRUE(opened.meter);
  EXPECT_EQ(opened.meter->description().name, "pcm");
  EXPECT_EQ(opened.missing, "");
}

TEST_F(OpenMeter, AutoSaysThatTheDeviceIsMissing) {
  add_rapl();
  context_.device.name = "gfx90a";
  const OpenedMeter opened = open_meter("auto", context_);
  ASSERT_TRUE(opened.meter);
  EXPECT_NE(opened.missing.find("OpenCL device (G)"), std::string::npos) << opened.missing;
  EXPECT_EQ(opened.missing.find("processor"), std::string::npos) << opened.missing;
}

TEST_F(OpenMeter, AutoAsksNoNvmlForADeviceInThePackage) {
  add_rapl();
  context_.device = {"Intel(R) UHD Graphics", "", true};
  const OpenedMeter opened = open_meter("auto", context_);
  EXPECT_EQ(opened.sources.size(), 1u);
  EXPECT_EQ(opened.missing, "");
}

TEST_F(OpenMeter, SeveralGpusAreAddedUp) {
  test::LoadedNvml nvml(3);
  std::snprintf(nvml->gpus[1].name, sizeof nvml->gpus[1].name, "NVIDIA L4");
  context_.nvml_library = test::LoadedNvml::path();
  context_.device.name = "NVIDIA H200";
  context_.device.count = 2;
  const OpenedMeter opened = open_meter("nvml", context_);
  ASSERT_NE(opened.meter, nullptr) << opened.missing;
  EXPECT_EQ(opened.meter->description().name, "nvml");
  const std::string& coverage = opened.meter->description().coverage;
  EXPECT_NE(coverage.find("13:00.0"), std::string::npos) << coverage;
  EXPECT_NE(coverage.find("33:00.0"), std::string::npos) << coverage;
  const auto joules = [&] {
    const auto reading = opened.meter->read();
    return reading ? reading->g.since_open_j.value_or(0) : 0;
  };
  nvml->gpus[0].energy_mj += 3000;
  nvml->gpus[2].energy_mj += 4000;
  nvml->gpus[1].energy_mj += 1000000;
  while (joules() < 7) std::this_thread::yield();
  EXPECT_NEAR(joules(), 7, 1e-9);

  context_.device.count = 3;
  EXPECT_EQ(open_meter("nvml", context_).meter, nullptr) << "one of them is of another kind";
}

TEST_F(OpenMeter, ByHand) {
  test::LoadedNvml nvml(2);
  add_rapl();
  context_.nvml_library = test::LoadedNvml::path();
  const std::string folder = context_.powercap_folder;
  EXPECT_EQ(open_meter("rapl", context_).meter->description().name, "rapl");
  context_.powercap_folder = "/none";
  EXPECT_EQ(open_meter("rapl", context_).meter, nullptr);
  EXPECT_EQ(open_meter("rapl:" + folder, context_).meter->description().name, "rapl");
  context_.powercap_folder = folder;
  EXPECT_EQ(open_meter("nvml", context_).meter->description().name, "nvml");
  EXPECT_NE(open_meter("nvml:1", context_).meter->description().coverage.find("23:00.0"),
            std::string::npos);
  EXPECT_EQ(open_meter("nvml:7", context_).meter, nullptr);
  EXPECT_EQ(open_meter("pcm", context_).meter, nullptr);
  const std::string port = std::to_string(context_.pcm_port);
  EXPECT_NE(open_meter("pcm:127.0.0.1:" + port, context_).missing.find("127.0.0.1:" + port),
            std::string::npos);
}

TEST_F(OpenMeter, NoneIsNoMeterAndNoComplaint) {
  const OpenedMeter opened = open_meter("none", context_);
  EXPECT_EQ(opened.meter, nullptr);
  EXPECT_TRUE(opened.sources.empty());
  EXPECT_EQ(opened.missing, "");
}

TEST_F(OpenMeter, TheModelIsMarkedAndNeedsToKnowWhenTheDeviceIsBusy) {
  OpenedMeter opened = open_meter("model:c=10+20,g=5+100", context_);
  EXPECT_TRUE(opened.meter->description().modelled);
  EXPECT_EQ(opened.meter->description().covers, (PerDomain<bool>{true, false, false}));
  context_.device_busy_s = [] { return 1.0; };
  opened = open_meter("model:c=10+20,g=5+100", context_);
  EXPECT_EQ(opened.meter->description().covers, (PerDomain<bool>{true, true, false}));
}

TEST_F(OpenMeter, NonsenseIsRefused) {
  for (const char* choice :
       {"", "sun", "Auto", "none:1", "model", "model:", "model:c=lots", "pcm:x",
        "pcm:host:", "pcm::1", "pcm:host:0", "pcm:host:70000", "pcm:host:1x"}) {
    EXPECT_THROW(open_meter(choice, context_), std::invalid_argument) << choice;
  }
}

}  // namespace
}  // namespace tandem
