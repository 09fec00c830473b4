// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json example() {
  return Json::parse(R"({
    "app": "vivid", "width": 600, "height": 416, "frames": 40, "cores": 1,
    "opencl_device": null, "energy_source": null,
    "configurations": [
      {"name": "c/cg1", "mapping": "c", "granularity": "cg", "threads": 1, "throughput_fps": 5,
       "energy_per_frame_j": null, "predicted_fps": null, "predicted_energy_j": null},
      {"name": "c/mg", "mapping": "c", "granularity": "mg", "threads": null, "throughput_fps": 6,
       "energy_per_frame_j": null, "predicted_fps": null, "predicted_energy_j": null}],
    "homogeneous": {"cpu_mg_fps": 6, "cpu_cg_fps": 5, "device_fps": null},
    "baseline": null, "chosen": null, "best": {"name": "c/mg", "throughput_fps": 6},
    "training": null})");
}

class ReportBadInput : public testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  // The command fails, names the file and says each of `words`.
  void expect_failure(const std::string& text, const std::vector<std::string>& words) {
    write_file(path("bench.json"), text);
    const CommandResult result =
        run_tandem({"report", path("bench.json"), "-o", path("report.html")});
    EXPECT_EQ(result.status, 1) << text;
    EXPECT_FALSE(fs::exists(path("report.html"))) << text;
    EXPECT_NE(result.errors.find("bench.json'"), std::string::npos) << result.errors;
    for (const std::string& word : words) {
      EXPECT_NE(result.errors.find(word), std::string::npos) << word << ": " << result.errors;
    }
  }

  std::string folder_;
};

TEST_F(ReportBadInput, ExampleIsGood) {
  write_file(path("bench.json"), example().dump());
  EXPECT_EQ(run_tandem({"report", path("bench.json"), "-o", "-"}).status, 0);
}

TEST_F(ReportBadInput, NotWhatBenchWrites) {
  expect_failure("", {"is not JSON", "tandem bench --json"});
  expect_failure("{\"app\": \"vivid\",\n oops}", {"is not JSON", "line 2"});
  expect_failure("[1, 2]", {"not one object"});
  expect_failure("{\"opencl\": {}}", {"'configurations' is missing", "tandem bench --json"});
  expect_failure("{\"app\": \"\xff\"}", {"is not JSON"});
}

TEST_F(ReportBadInput, SplitsHaveAShare) {
  Json split = example();
  Json& configuration = split["configurations"][1];
  configuration["name"] = "s/mg/a37";
  configuration["mapping"] = "s";
  configuration["frames_at_once"] = 1;
  configuration["split"] = 37;
  split["best"]["name"] = "s/mg/a37";
  write_file(path("bench.json"), split.dump());
  EXPECT_EQ(run_tandem({"report", path("bench.json"), "-o", path("split.html")}).status, 0);
  const std::string page = read_file(path("split.html"));
  EXPECT_NE(page.find("s/mg/a37"), std::string::npos);
  EXPECT_NE(page.find("at mg/a37"), std::string::npos);
  configuration["split"] = 100;
  expect_failure(split.dump(), {"configurations[1].split"});
  configuration["split"] = nullptr;
  expect_failure(split.dump(), {"configurations[1].split", "does not fit the mapping"});
  Json whole = example();
  whole["configurations"][1]["split"] = 37;
  expect_failure(whole.dump(), {"configurations[1].split"});
}

TEST_F(ReportBadInput, EveryFieldIsNeeded) {
  const Json good = example();
  for (const auto& [name, value] : good.items()) {
    Json bad = good;
    bad.erase(name);
    expect_failure(bad.dump(), {"field '" + name + "' is missing"});
  }
  for (const auto& [name, value] : good["configurations"][0].items()) {
    Json bad = good;
    bad["configurations"][0].erase(name);
    expect_failure(bad.dump(), {"field 'configurations[0]." + name + "' is missing"});
  }
}

TEST_F(ReportBadInput, WrongValues) {
  const struct {
    const char* where;
    Json value;
    const char* says;
  } cases[] = {
      {"/app", 1, "'app' is not text but of type number"},
      {"/width", 600.5, "'width' is 600.5, not a whole number"},
      {"/cores", 0, "'cores' is 0"},
      {"/frames", nullptr, "'frames' is not a number but null"},
      {"/energy_source", Json::array(), "'energy_source' is not text but of type array"},
      {"/configurations", Json::array(), "'configurations'"},
      {"/configurations/0", 7, "'configurations[0]' is not an object"},
      {"/configurations/1/name", "c/cg1", "'configurations[1].name' is 'c/cg1' once more"},
      {"/configurations/1/mapping", "x", "'configurations[1].mapping' is 'x'"},
      {"/configurations/1/granularity", "fine", "'configurations[1].granularity' is 'fine'"},
      {"/configurations/0/threads", nullptr, "'configurations[0].threads'"},
      {"/configurations/0/throughput_fps", "5", "'configurations[0].throughput_fps'"},
      {"/configurations/0/predicted_fps", -1, "'configurations[0].predicted_fps' is -1"},
      {"/homogeneous/device_fps", true, "'homogeneous.device_fps'"},
      {"/best", "c/mg", "'best' is not an object"},
      {"/chosen", Json::object(), "'chosen.name' is missing"},
      {"/schema", 2, "'schema' is 2, of a later Tandem"},
      {"/schema", "1", "'schema' is not a number"},
      {"/host", 7, "'host' is not text"},
      {"/training", Json::parse(R"({"experiments": 1, "frames": 1, "seconds": 1, "ranking": 3})"),
       "'training.ranking' is not a list"},
      {"/training",
       Json::parse(R"({"experiments": 1, "frames": 1, "seconds": 1, "ranking": [{}]})"),
       "'training.ranking[0].name' is missing"},
  };
  for (const auto& [where, value, says] : cases) {
    Json bad = example();
    bad[Json::json_pointer(where)] = value;
    expect_failure(bad.dump(), {says});
  }
}

// Numbers that JSON can write and a double cannot hold, or a drawing not show.
TEST_F(ReportBadInput, HostileNumbers) {
  const auto with = [](const std::string& number) {
    std::string text = example().dump(1);
    const std::string key = "\"throughput_fps\": ";
    const std::size_t at = text.find(key, text.find("\"configurations\"")) + key.size();
    return text.replace(at, text.find_first_of(",\n", at) - at, number);
  };
  const auto line = [&](const std::string& number) {
    const std::string text = with(number);
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(number));
    return "line " + std::to_string(1 + std::count(text.begin(), end, '\n'));
  };
  for (const char* number : {"1e400", "-1e999", "1e99999999999"})
    expect_failure(with(number), {line(number) + ": the number " + number + " is too large"});
  expect_failure(with(std::string(400, '9')), {"too large"});
  const std::string field = "field 'configurations[0].throughput_fps' is ";
  expect_failure(with("1e308"), {field, "too large"});
  expect_failure(with("18446744073709551615"), {field, "too large"});
  expect_failure(with("4e-320"), {field, "too small"});
  for (const char* number : {"NaN", "Infinity", "0x10", "1e", "+5", "."})
    expect_failure(with(number), {"is not JSON: parse error at line"});
  for (const char* number : {"0", "-0.0", "1e-400", "1e15", "1e-15"}) {
    write_file(path("bench.json"), with(number));
    EXPECT_EQ(run_tandem({"report", path("bench.json"), "-o", "-"}).status, 0) << number;
  }
  Json bad = example();
  bad["configurations"][0]["threads"] = 2147483647;
  expect_failure(bad.dump(), {"'configurations[0].threads' is 2147483647", "1 to 4096"});
  for (const char* brackets : {"[", "{\"a\":"}) {
    std::string deep;
    for (int i = 0; i < 200000; ++i) deep += brackets;
    expect_failure(deep, {"nested more than 64 levels"});
  }
}

TEST_F(ReportBadInput, Files) {
  write_file(path("bench.json"), example().dump());
  const std::string bench = path("bench.json");
  const struct {
    std::vector<std::string> options;
    int status;
    const char* says;
  } cases[] = {
      {{}, 2, "tandem report bench.json -o report.html"},
      {{bench}, 2, "--output FILE is missing"},
      {{bench, "-o"}, 2, "-o"},
      {{bench, "--outptu", "x"}, 2, "did you mean '--output'?"},
      {{path("none.json"), "-o", "-"}, 1, "No such file"},
      {{folder_, "-o", "-"}, 1, "Is a directory"},
      {{bench, "-o", path("no/report.html")}, 1, "mkdir -p"},
      {{bench, "-o", folder_}, 1, "is a folder"},
      {{bench, "-o", bench}, 2, "would overwrite"},
      {{bench, "-o", path("./bench.json")}, 2, "would overwrite"},
  };
  for (const auto& [options, status, says] : cases) {
    std::vector<std::string> words = {"report"};
    words.insert(words.end(), options.begin(), options.end());
    const CommandResult result = run_tandem(words);
    const std::string about = testing::PrintToString(options) + ": " + result.errors;
    EXPECT_EQ(result.status, status) << about;
    EXPECT_NE(result.errors.find(says), std::string::npos) << about;
  }
  EXPECT_EQ(read_file(bench), example().dump());
}

TEST_F(ReportBadInput, FilesMayHaveAnyNameInAnyLocale) {
  write_file(path("b\u00e9nch.json"), example().dump());
  setenv("LC_ALL", "C", 1);
  const CommandResult result =
      run_tandem({"report", path("b\u00e9nch.json"), "-o", path("r\u00e9port.html")});
  unsetenv("LC_ALL");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_TRUE(fs::exists(path("r\u00e9port.html")));
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
