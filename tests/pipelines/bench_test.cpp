// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/opencl/opencl.h"
#include "pipelines/tandem/bench_report.h"
#include "tests/pipelines/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

const std::vector<std::string> kFields = {
    "app",           "width",         "height", "frames",         "cores",
    "opencl_device", "energy_source", "metric", "configurations", "homogeneous",
    "baseline",      "chosen",        "best",   "training"};
const std::vector<std::string> kConfigurationFields = {"name",           "mapping",
                                                       "granularity",    "threads",
                                                       "throughput_fps", "energy_per_frame_j",
                                                       "predicted_fps",  "predicted_energy_j"};

// The i-th configuration runs at 10 + i frames a second.
BenchResult example(bool device) {
  BenchResult result{.application = "vivid", .width = 600, .height = 416, .frames = 50, .cores = 2};
  if (device) result.opencl_device = "a device";
  double fps = 10;
  for (BenchConfiguration& configuration : bench_configurations(3, 2, device)) {
    result.measurements.push_back({std::move(configuration), {fps++}});
  }
  return result;
}

BenchMeasurement& named(BenchResult& result, const std::string& name) {
  return *const_cast<BenchMeasurement*>(find_measurement(result, name));
}

TEST(BenchReport, AllConfigurations) {
  for (int cores = 1; cores <= 5; ++cores) {
    const auto all = bench_configurations(3, cores, true);
    std::set<std::string> names;
    for (const BenchConfiguration& configuration : all) names.insert(configuration.name());
    EXPECT_EQ(all.size(), static_cast<std::size_t>(8 * (cores + 2)));
    EXPECT_EQ(names.size(), all.size());
    EXPECT_TRUE(names.contains("gcc/cg" + std::to_string(cores + 1)));
    EXPECT_TRUE(names.contains("ggg/mg"));
    const auto cpu = bench_configurations(3, cores, false);
    EXPECT_EQ(cpu.size(), static_cast<std::size_t>(cores + 2));
    for (const BenchConfiguration& configuration : cpu) EXPECT_EQ(configuration.mapping, "ccc");
  }
}

TEST(BenchReport, MedianOfRounds) {
  BenchMeasurement measurement;
  EXPECT_EQ(measurement.median_fps(), 0);
  measurement.rounds_fps = {3, 1, 2};
  EXPECT_EQ(measurement.median_fps(), 2);
  measurement.rounds_fps = {4, 1, 2, 3};
  EXPECT_EQ(measurement.median_fps(), 2.5);
}

TEST(BenchReport, JsonHasTheFields) {
  const Json json = to_json(example(true));
  EXPECT_EQ(keys(json), kFields);
  for (const Json& configuration : json["configurations"]) {
    EXPECT_EQ(keys(configuration), kConfigurationFields);
    EXPECT_EQ(configuration["threads"].is_null(), configuration["granularity"] == "mg");
    EXPECT_TRUE(configuration["predicted_fps"].is_null());
  }
  // Mapping by mapping: ccc/cg1, cg2, cg3 and mg come first, ggg's four last.
  EXPECT_EQ(json["homogeneous"]["cpu_cg_fps"], 11);
  EXPECT_EQ(json["homogeneous"]["cpu_mg_fps"], 13);
  EXPECT_EQ(json["homogeneous"]["device_fps"], 38);
  EXPECT_EQ(json["best"]["name"], "ggg/mg");
  EXPECT_EQ(json["best"]["throughput_fps"], 41);
  EXPECT_TRUE(json["chosen"].is_null());
  EXPECT_TRUE(json["training"].is_null());
}

TEST(BenchReport, WithoutDevice) {
  const Json json = to_json(example(false));
  EXPECT_EQ(json["configurations"].size(), 4u);
  EXPECT_TRUE(json["opencl_device"].is_null());
  EXPECT_TRUE(json["homogeneous"]["device_fps"].is_null());
  EXPECT_TRUE(json["baseline"].is_null());
}

TEST(BenchReport, BaselinePutsEachStageWhereItTakesLessTime) {
  BenchResult result = example(true);
  named(result, "ccc/mg").stage_cpu_s = {3, 1, 2};
  named(result, "gcc/cg1").stage_device_s = {1, 0, 0};
  named(result, "cgc/cg1").stage_device_s = {0, 2, 0};
  named(result, "ccg/cg1").stage_device_s = {0, 0, 3};
  EXPECT_EQ(baseline_mapping(result), "gcc");
  named(result, "gcc/cg1").stage_device_s = {4, 0, 0};
  EXPECT_EQ(baseline_mapping(result), "ccc");
  named(result, "ccc/mg").stage_cpu_s = {9, 9, 9};
  EXPECT_EQ(baseline_mapping(result), "ggg");
  std::erase_if(result.measurements,
                [](const auto& measured) { return measured.configuration.mapping[2] == 'g'; });
  EXPECT_EQ(baseline_mapping(result), "ggc") << "the last stage has no device";
}

TEST(BenchReport, ChosenIsComparedWithTheBestByTheMetric) {
  BenchResult result = example(true);
  result.training = {.chosen = "ccc/mg", .predicted_fps = 70, .frames = 40};
  EXPECT_EQ(to_json(result)["chosen"]["predicted_fps"], 70);
  EXPECT_DOUBLE_EQ(to_json(result)["chosen"]["ratio_to_best"],
                   named(result, "ccc/mg").median_fps() /
                       to_json(result)["best"]["throughput_fps"].get<double>());
  EXPECT_EQ(to_json(result)["training"]["frames"], 40);

  result.metric = "efficiency";
  for (BenchMeasurement& measured : result.measurements) measured.rounds_energy_j = {100};
  named(result, "ccc/mg").rounds_energy_j = {0.1};
  EXPECT_EQ(to_json(result)["best"]["name"], "ccc/mg");
  EXPECT_EQ(to_json(result)["chosen"]["ratio_to_best"], 1);
}

TEST(BenchReport, TheBestIsOneOfThoseMeasuredAtLength) {
  BenchResult result = example(true);
  named(result, "ccc/mg").rounds_fps = {1000};  // a lucky moment
  named(result, "ccc/cg1").heat = named(result, "gcc/cg1").heat = 1;
  named(result, "ccc/cg1").rounds_fps = {90, 110, 100};
  named(result, "gcc/cg1").rounds_fps = {90};
  EXPECT_EQ(to_json(result)["best"]["name"], "ccc/cg1");
  named(result, "gcc/cg1").heat = 2;  // the match
  EXPECT_EQ(to_json(result)["best"]["name"], "gcc/cg1");
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
  EXPECT_NE(result.output.find("No OpenCL device"), std::string::npos) << result.output;
  const Json written = json();
  EXPECT_EQ(keys(written), kFields);
  EXPECT_EQ(written["app"], "vivid");
  EXPECT_EQ(written["width"], 96);
  EXPECT_EQ(written["height"], 144);
  EXPECT_EQ(written["frames"], 6);
  EXPECT_EQ(written["cores"], 2);
  ASSERT_EQ(written["configurations"].size(), 4u);
  for (const Json& configuration : written["configurations"]) {
    EXPECT_EQ(keys(configuration), kConfigurationFields);
    EXPECT_GT(configuration["throughput_fps"].get<double>(), 0);
    EXPECT_NE(result.output.find(configuration["name"].get<std::string>()), std::string::npos);
  }
}

TEST_F(Bench, MeasuresEveryConfigurationOnADevice) {
  if (opencl::list_devices().empty()) GTEST_SKIP() << "no OpenCL device";
  const std::string video = folder_ + "/video.avi";
  make_video(video, 5, 160, 144);
  const CommandResult result = bench({"--cores", "1", "--opencl-device", "any", "--input", video,
                                      "--repeat", "2", "--finals", "1"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json written = json();
  EXPECT_EQ(written["configurations"].size(), 8u * 3u);
  EXPECT_TRUE(written["opencl_device"].is_string());
  EXPECT_GT(written["homogeneous"]["device_fps"].get<double>(), 0);
  EXPECT_TRUE(written["baseline"]["name"].is_string());
  EXPECT_LE(written["chosen"]["ratio_to_best"].get<double>(), 1);
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

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
