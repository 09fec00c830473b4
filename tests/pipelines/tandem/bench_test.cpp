// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "kernels/opencl/opencl.h"
#include "pipelines/tandem/bench/report.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

class Bench : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    make_model(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  CommandResult bench(const std::vector<std::string>& options) {
    std::vector<std::string> words = {"bench", "vivid",     "--size", "96x144", "--frames",
                                      "6",     "--seconds", "0",      "--json", json_path()};
    words.insert(words.end(), options.begin(), options.end());
    return run_tandem(words);
  }
  std::string json_path() const { return folder_ + "/bench.json"; }
  Json json() const { return Json::parse(read_file(json_path())); }

  std::string folder_;
};

TEST_F(Bench, MeasuresTheCpuConfigurations) {
  const CommandResult result = bench({"--cores", "2", "--opencl-device", "no such device"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("Only configurations without a device"), std::string::npos)
      << result.output;
  const Json written = json();
  BenchResult any;
  any.measurements.push_back({bench_configurations(1, 1, {})[0], {1}});
  const Json fields = to_json(any);
  EXPECT_EQ(keys(written), keys(fields));
  EXPECT_EQ(written["schema"], 1);
  EXPECT_FALSE(written["version"].get<std::string>().empty());
  EXPECT_FALSE(written["host"].get<std::string>().empty());
  const auto date = written["date"].get<std::string>();
  GDateTime* parsed = g_date_time_new_from_iso8601(date.c_str(), nullptr);
  ASSERT_TRUE(parsed) << date;
  EXPECT_LT(std::abs(g_date_time_to_unix(parsed) - std::time(nullptr)), 3600) << date;
  g_date_time_unref(parsed);
  EXPECT_TRUE(written["input"].is_null());
  EXPECT_GE(written["training"]["trials"].get<int>(), 0);
  EXPECT_FALSE(written["training"]["ranking"].empty());
  EXPECT_TRUE(written["training"].contains("expected_loss"));
  EXPECT_EQ(written["app"], "vivid");
  EXPECT_EQ(written["width"], 96);
  EXPECT_EQ(written["height"], 144);
  EXPECT_EQ(written["frames"], 6);
  EXPECT_EQ(written["cores"], 2);
  ASSERT_EQ(written["configurations"].size(), 4u);
  for (const Json& configuration : written["configurations"]) {
    EXPECT_EQ(keys(configuration), keys(fields["configurations"][0]));
    EXPECT_GT(configuration["throughput_fps"].get<double>(), 0);
    EXPECT_NE(result.output.find(configuration["name"].get<std::string>()), std::string::npos);
  }
}

TEST_F(Bench, MeasuresSplitFramesWhenAsked) {
  if (opencl::list_devices().empty()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const CommandResult result = bench({"--cores", "1", "--opencl-device", "any", "--split"});
  ASSERT_EQ(result.status, 0) << result.errors;
  std::vector<int> shares;
  const Json written = json();
  for (const Json& configuration : written["configurations"]) {
    if (configuration["split"].is_null()) continue;
    EXPECT_EQ(configuration["mapping"], "sss");
    EXPECT_GT(configuration["throughput_fps"].get<double>(), 0);
    shares.push_back(configuration["split"]);
  }
  EXPECT_EQ(shares, (std::vector{10, 20, 30, 40, 50, 60, 70, 80, 90}));
  EXPECT_NE(result.output.find("sss/mg/a40"), std::string::npos) << result.output;
}

TEST_F(Bench, MeasuresEveryConfigurationOnADevice) {
  if (opencl::list_devices().empty()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  const std::string video = folder_ + "/video.avi";
  make_video(video, 5, 160, 144);
  const CommandResult result = bench({"--cores", "1", "--opencl-device", "any", "--input", video,
                                      "--repeat", "2", "--finals", "1"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json written = json();
  EXPECT_EQ(written["configurations"].size(), 8u * 3u);
  EXPECT_TRUE(written["opencl_device"].is_string());
  EXPECT_EQ(written["input"], video);
  EXPECT_GT(written["homogeneous"]["device_fps"].get<double>(), 0);
  EXPECT_TRUE(written["baseline"]["name"].is_string());
  EXPECT_LE(written["chosen"]["ratio_to_best"].get<double>(), 1);
}

TEST_F(Bench, KeepsTheVideoThatItReads) {
  const std::string video = folder_ + "/bench-edp.json";
  make_video(video, 5, 160, 144);
  const std::string before = read_file(video);
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--input", video, "--json", video},
           {"--input", video, "--metric", "energy,edp"}}) {  // --json: bench.json
    const CommandResult result = bench(options);
    EXPECT_EQ(result.status, 2) << result.errors;
    EXPECT_NE(result.errors.find("--json would overwrite the input"), std::string::npos)
        << result.errors;
  }
  EXPECT_EQ(read_file(video), before);
}

TEST_F(Bench, BadOptionsGetAClearMessage) {
  const struct {
    std::vector<std::string> options;
    int status;
    const char* says;
  } cases[] = {
      {{"--size", "LD"}, 2, "WIDTHxHEIGHT"},
      {{"--frames", "0"}, 2, "below 1"},
      {{"--cores", "0"}, 2, "below 1"},
      {{"--repeat", "0"}, 2, "below 1"},
      {{"--finals", "-1"}, 2, "below 0"},
      {{"--seconds", "-1"}, 2, "negative"},
      {{"--metric", "speed"}, 2, "throughput, energy, efficiency, edp"},
      {{"--json", folder_ + "/no/b.json"}, 1, "mkdir -p"},
      {{"--input", folder_ + "/none.avi"}, 1, "there is no file"},
      {{"--model", folder_ + "/none.vivid"}, 1, "none.vivid"},
  };
  for (const auto& [options, status, says] : cases) {
    const CommandResult result = bench(options);
    const std::string about = testing::PrintToString(options);
    EXPECT_EQ(result.status, status) << about << ": " << result.errors;
    EXPECT_NE(result.errors.find(says), std::string::npos) << about << ": " << result.errors;
  }
}

TEST_F(Bench, CtrlCKeepsWhatWasMeasured) {
  const std::string said = folder_ + "/said";
  const int process =
      start_tandem({"bench", "vivid", "--size", "96x144", "--seconds", "0.1", "--repeat", "100000",
                    "--opencl-device", "no such device", "--json", json_path()},
                   said);
  for (int i = 0; i < 1200 && read_file(said).find(", round ") == std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(process, SIGINT);
  EXPECT_EQ(wait_for(process), 130);
  const Json written = json();
  EXPECT_GE(written["configurations"].size(), 1u);
  for (const Json& configuration : written["configurations"])
    EXPECT_GT(configuration["throughput_fps"], 0) << configuration;
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
