// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "pipelines/tandem/bench/report.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

const std::vector<std::string> kFields = {
    "schema",         "version",       "date",          "host",   "processor",
    "input",          "app",           "width",         "height", "frames",
    "cores",          "opencl_device", "energy_source", "metric", "target_latency_ms",
    "configurations", "homogeneous",   "baseline",      "chosen", "best",
    "training"};
const std::vector<std::string> kConfigurationFields = {"name",
                                                       "mapping",
                                                       "granularity",
                                                       "threads",
                                                       "lanes",
                                                       "frames_at_once",
                                                       "split",
                                                       "tasks",
                                                       "throughput_fps",
                                                       "energy_per_frame_j",
                                                       "latency_ms",
                                                       "predicted_fps",
                                                       "predicted_energy_j",
                                                       "predicted_latency_ms"};

// The i-th configuration runs at 10 + i frames a second.
BenchResult example(bool device) {
  BenchResult result{.application = "vivid", .width = 600, .height = 416, .frames = 50, .cores = 2};
  if (device) result.opencl_device = "a device";
  double fps = 10;
  for (BenchConfiguration& configuration :
       bench_configurations(3, 2, device ? std::vector<int>{1} : std::vector<int>{})) {
    result.measurements.push_back({std::move(configuration), {fps++}});
  }
  return result;
}

BenchMeasurement& named(BenchResult& result, const std::string& name) {
  return *const_cast<BenchMeasurement*>(find_measurement(result, name));
}

TEST(BenchReport, AllConfigurations) {
  for (int cores = 1; cores <= 5; ++cores) {
    const auto all = bench_configurations(3, cores, {1});
    std::set<std::string> names;
    for (const BenchConfiguration& configuration : all) names.insert(configuration.name());
    EXPECT_EQ(all.size(), static_cast<std::size_t>(8 * (cores + 2)));
    EXPECT_EQ(names.size(), all.size());
    EXPECT_TRUE(names.contains("gcc/cg" + std::to_string(cores + 1)));
    EXPECT_TRUE(names.contains("ggg/mg"));
    const auto cpu = bench_configurations(3, cores, {});
    EXPECT_EQ(cpu.size(), static_cast<std::size_t>(cores + 2));
    for (const BenchConfiguration& configuration : cpu) EXPECT_EQ(configuration.mapping, "ccc");
  }
}

TEST(BenchReport, SplitsAndFramesAtATimeAreNamed) {
  BenchResult result = example(true);
  result.measurements.resize(1);
  BenchConfiguration& split = result.measurements[0].configuration;
  split = {"sgs", std::nullopt, 1, 2, 37};
  EXPECT_EQ(split.name(), "sgs/mg2/a37");
  Json json = to_json(result)["configurations"][0];
  EXPECT_EQ(json["granularity"], "mg");
  EXPECT_EQ(json["frames_at_once"], 2);
  EXPECT_EQ(json["split"], 37);
  split = {"ggg", 2};
  json = to_json(result)["configurations"][0];
  EXPECT_TRUE(json["frames_at_once"].is_null());
  EXPECT_TRUE(json["split"].is_null());
}

TEST(BenchReport, SplitsAreListedInTensAndReadBack) {
  const std::vector<BenchConfiguration> all = split_configurations("ssc");
  ASSERT_EQ(all.size(), 9U);
  EXPECT_EQ(all.front().name(), "ssc/mg/a10");
  EXPECT_EQ(all.back().name(), "ssc/mg/a90");
  for (const char* name : {"ssc/mg/a37", "sgs/mg2/a5", "ggg/cg1/t4", "gcc/cg3/q2/t16"}) {
    const std::optional<BenchConfiguration> read = read_unlisted(name);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(read->name(), name);
  }
  for (const char* name : {"", "gcc/cg3", "ccc/mg", "sss/a10", "sss/mg/a", "sss/cg2/a10",
                           "ggg/cg1/q2", "ggg/cg1/t1", "ggg/cg1/t2/q2", "ccc/cg1/t2"})
    EXPECT_FALSE(read_unlisted(name)) << name;
}

TEST(BenchReport, MedianOfRounds) {
  BenchMeasurement measurement;
  EXPECT_EQ(measurement.median_fps(), 0);
  measurement.rounds_fps = {3, 1, 2};
  EXPECT_EQ(measurement.median_fps(), 2);
  measurement.rounds_fps = {4, 1, 2, 3};
  EXPECT_EQ(measurement.median_fps(), 2.5);
  measurement.rounds_energy_j = {4, 1};
  EXPECT_EQ(measurement.median().energy_j, 2.5);
  EXPECT_EQ(median_of(std::vector<double>{4, 1, 2, 3}), 2.5) << "predictions as measurements";
  EXPECT_EQ(median_of(std::vector<double>()), std::nullopt);
}

std::string heads_of(const BenchResult& result) {
  const std::string table = to_table(result);
  const std::size_t second = table.find('\n') + 1;
  return table.substr(0, table.find('\n', second));
}

int count_of(const std::string& text, const std::string& word) {
  int count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(BenchTable, HasTheColumnsThatSaySomething) {
  BenchResult result = example(false);
  EXPECT_EQ(heads_of(result),
            "                 measured\n"
            "configuration    frames/s   of best");
  for (BenchMeasurement& measured : result.measurements) measured.predicted.throughput_fps = 12;
  EXPECT_EQ(heads_of(result),
            "                 measured  predicted\n"
            "configuration    frames/s   frames/s   of best");
  for (BenchMeasurement& measured : result.measurements) {
    measured.rounds_fps.push_back(20);
    measured.rounds_energy_j = {0.5, 0.25};
    measured.predicted.energy_j = 0.125;
  }
  EXPECT_EQ(
      heads_of(result),
      "                 measured                                   predicted\n"
      "configuration    frames/s      least       most    J/frame   frames/s    J/frame   of best");
}

TEST(BenchTable, HasALineForEachConfiguration) {
  BenchResult result = example(false);
  named(result, "ccc/cg1").rounds_fps = {10, 30};
  named(result, "ccc/cg1").predicted.throughput_fps = 5;
  result.training = {.chosen = "ccc/cg2"};
  const std::string table = to_table(result);
  EXPECT_NE(table.find("\nccc/cg1             20.00      10.00      30.00       5.00      100%"
                       "  <- best\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("\nccc/cg2             11.00      11.00      11.00          -       55%"
                       "  <- chosen\n"),
            std::string::npos)
      << table;
  EXPECT_EQ(count_of(table, "\n"), 2 + 4) << table;
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

TEST(BenchReport, JsonTellsWhereItComesFrom) {
  BenchResult result = example(true);
  result.origin = {"1.2.3", "2024-05-06T07:08:09Z", "a-host", "a processor", "people.avi"};
  const Json json = to_json(result);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["date"], "2024-05-06T07:08:09Z");
  EXPECT_EQ(json["host"], "a-host");
  EXPECT_EQ(json["processor"], "a processor");
  EXPECT_EQ(json["input"], "people.avi");
  const Json unknown = to_json(example(true));
  EXPECT_TRUE(unknown["processor"].is_null());
  EXPECT_TRUE(unknown["input"].is_null());
}

// Each field that can be in the file, at every depth.
void add_names(const Json& json, std::set<std::string>& names) {
  if (json.is_object()) {
    for (const auto& [name, value] : json.items()) names.insert(name);
  }
  if (json.is_structured()) {
    for (const Json& value : json) add_names(value, names);
  }
}

TEST(BenchReport, EveryFieldIsDocumented) {
  BenchResult result = example(true);
  result.training = {
      .chosen = "ccc/mg", .trials = 3, .ranking = {{"ccc/mg", 70, 0.5}}, .expected_loss = 0.25};
  result.baseline = result.measurements.front();
  std::set<std::string> names;
  add_names(to_json(result), names);
  EXPECT_TRUE(names.contains("expected_fps")) << "the deepest";
  EXPECT_EQ(to_json(result)["training"]["expected_loss"], 0.25);
  const std::string page =
      read_file(std::string(std::getenv("TANDEM_SHIPPED")) + "/../docs/bench-json.md");
  for (const std::string& name : names) {
    const bool found = page.find("`" + name + "`") != std::string::npos ||
                       page.find("[]." + name + "`") != std::string::npos;
    EXPECT_TRUE(found) << name << " is not in docs/bench-json.md";
  }
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
  result.training = {.chosen = "ccc/mg", .predicted = {70, {}}, .frames = 40};
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

TEST(BenchReport, LatencyIsAMetricAndATarget) {
  BenchResult result = example(true);
  for (BenchMeasurement& measured : result.measurements) measured.rounds_latency_ms = {30};
  named(result, "ccc/mg").rounds_latency_ms = {8, 12};
  named(result, "gcc/cg1").rounds_latency_ms = {20};
  result.training = {.chosen = "gcc/cg1"};
  result.metric = "latency";
  EXPECT_EQ(to_json(result)["best"]["name"], "ccc/mg");
  EXPECT_EQ(to_json(result)["best"]["latency_ms"], 10);
  EXPECT_EQ(to_json(result)["chosen"]["ratio_to_best"], 0.5);
  result.metric = "throughput";
  result.target_latency_ms = 25;
  EXPECT_EQ(to_json(result)["best"]["name"], "gcc/cg1") << "the faster one of both that keep it";
  EXPECT_EQ(to_json(result)["target_latency_ms"], 25);
  result.target_latency_ms = 5;
  EXPECT_TRUE(to_json(result)["chosen"]["ratio_to_best"].is_null());
  EXPECT_NE(to_table(result).find("         -  <- best"), std::string::npos) << to_table(result);
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

}  // namespace
}  // namespace tandem::test
