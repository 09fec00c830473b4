// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/pipelines/report/page_elements.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Two stages, two cores: 16 configurations. The i-th runs at 100 + 10 i frames a second for
// 20 - i joules and is predicted at 5% more and 20% less.
Json example() {
  Json configurations = Json::array();
  for (const char* mapping : {"cc", "gc", "cg", "gg"}) {
    for (int threads = 1; threads <= 4; ++threads) {
      const bool medium = threads == 4;
      const double i = static_cast<double>(configurations.size());
      const std::string grain = medium ? "mg" : "cg" + std::to_string(threads);
      configurations.push_back({{"name", std::string(mapping) + "/" + grain},
                                {"mapping", mapping},
                                {"granularity", medium ? "mg" : "cg"},
                                {"threads", medium ? Json(nullptr) : Json(threads)},
                                {"throughput_fps", 100 + 10 * i},
                                {"energy_per_frame_j", 20 - i},
                                {"predicted_fps", 1.05 * (100 + 10 * i)},
                                {"predicted_energy_j", 0.8 * (20 - i)}});
    }
  }
  return {{"app", "vivid"},
          {"width", 600},
          {"height", 416},
          {"frames", 40},
          {"cores", 2},
          {"opencl_device", "Device <1> & \"co\""},
          {"energy_source", "nvml"},
          {"configurations", configurations},
          {"homogeneous", {{"cpu_mg_fps", 130}, {"cpu_cg_fps", 110}, {"device_fps", 220}}},
          {"baseline", {{"name", "gc/mg"}, {"throughput_fps", 121.5}}},
          {"chosen", {{"name", "gg/cg3"}, {"throughput_fps", 240}, {"ratio_to_best", 0.96}}},
          {"best", {{"name", "gg/mg"}, {"throughput_fps", 250}}},
          {"training", {{"experiments", 5}, {"frames", 8}, {"seconds", 0.25}}}};
}

std::vector<std::string> headings(const Page& page) {
  std::vector<std::string> texts;
  for (const PageElement& element : page) {
    if (element.name == "h3") texts.push_back(element.text);
  }
  return texts;
}

class Report : public testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  Page report(const Json& bench) {
    write_file(path("bench.json"), bench.dump());
    const CommandResult result =
        run_tandem({"report", path("bench.json"), "-o", path("report.html")});
    EXPECT_EQ(result.status, 0) << result.errors;
    return parse_page(read_file(path("report.html")));
  }

  std::string folder_;
};

TEST_F(Report, IsOnePageThatLoadsNothing) {
  const Page page = report(example());
  std::set<std::string> ids;
  for (const PageElement& element : page) ids.insert(element["id"]);
  for (const PageElement& element : page) {
    EXPECT_NE(element.name, "script");
    EXPECT_NE(element.name, "link");
    EXPECT_EQ(element["src"], "");
    const std::string target = element["href"];
    if (!target.empty()) {
      EXPECT_TRUE(target[0] == '#' && ids.contains(target.substr(1))) << target;
    }
    if (element.name == "style") {
      EXPECT_EQ(element.text.find("url("), std::string::npos);
    }
  }
}

TEST_F(Report, ShowsEveryConfiguration) {
  const Json bench = example();
  const Page page = report(bench);
  for (const Json& configuration : bench["configurations"]) {
    const std::string name = configuration["name"];
    const std::string shape = configuration["granularity"] == "mg" ? "medium" : "coarse";
    for (const char* metric : {"Throughput", "Energy", "Efficiency"}) {
      EXPECT_NE(drawn(page, metric, name, "rect", shape), nullptr) << metric << " " << name;
      EXPECT_NE(drawn(page, metric, name, "use", "#mark-predicted"), nullptr) << metric << name;
    }
    EXPECT_TRUE(std::any_of(page.begin(), page.end(), [&](const PageElement& element) {
      return element.name == "td" && element.text == name;
    })) << name;
  }
  EXPECT_EQ(count_elements(page, "circle", "coarse"), 3 * 12);  // of the three scatters
  EXPECT_EQ(count_elements(page, "polygon", "band"), 3);
}

TEST_F(Report, BarsAndMarksStandAtTheirValues) {
  Json bench = example();
  bench["configurations"][1]["predicted_fps"] = 200;
  const Page page = report(bench);
  const auto height = [&](const char* metric, const char* name) {
    return drawn(page, metric, name, "rect", "coarse")->number("height");
  };
  EXPECT_NEAR(height("Throughput", "cg/cg3") / height("Throughput", "cc/cg1"), 2, 0.01);
  EXPECT_NEAR(height("Energy", "cc/cg1") / height("Energy", "cg/cg3"), 2, 0.01);
  // 200 frames/s at 10 J, 100 frames/s at 20 J
  EXPECT_NEAR(height("Efficiency", "cg/cg3") / height("Efficiency", "cc/cg1"), 4, 0.05);
  // The mark is where the bar of configuration 10 ends.
  const std::string& place =
      drawn(page, "Throughput", "cc/cg2", "use", "#mark-predicted")->attributes.at("transform");
  const PageElement& bar = *drawn(page, "Throughput", "cg/cg3", "rect", "coarse");
  const double mark_y = std::stod(place.substr(place.find(' ') + 1));
  EXPECT_EQ(mark_y, bar.number("y")) << place;
}

TEST_F(Report, MarksChosenBestAndBaseline) {
  const Page page = report(example());
  for (const char* metric : {"Throughput", "Energy", "Efficiency"}) {
    EXPECT_NE(drawn(page, metric, "gg/cg3", "use", "#mark-chosen"), nullptr);
    EXPECT_NE(drawn(page, metric, "gg/mg", "use", "#mark-best"), nullptr);
    EXPECT_NE(drawn(page, metric, "gc/mg", "use", "#mark-baseline"), nullptr);
  }
  for (const char* mark : {"chosen", "best", "baseline"}) {
    EXPECT_EQ(count_marks(page, mark), 6) << mark;  // three metrics, three scatters
  }
  EXPECT_EQ(count_elements(page, "line", "baseline-rate"), 4);  // one in each panel of throughput
}

// "translate(12.5 30)" as two numbers.
std::pair<double, double> place_of(const PageElement& mark) {
  const std::string transform = mark["transform"];
  return {std::stod(transform.substr(10)), std::stod(transform.substr(transform.find(' ')))};
}

TEST_F(Report, MarksStandOnTheBarsWhateverIsPredicted) {
  Json bench = example();
  for (Json& c : bench["configurations"]) c["predicted_fps"] = 1000;
  const Page page = report(bench);
  for (const auto& [name, mark, shape] : {std::tuple{"gg/cg3", "#mark-chosen", "coarse"},
                                          {"gg/mg", "#mark-best", "medium"},
                                          {"gc/mg", "#mark-baseline", "medium"}}) {
    const PageElement& bar = *drawn(page, "Throughput", name, "rect", shape);
    const auto [x, y] = place_of(*drawn(page, "Throughput", name, "use", mark));
    EXPECT_NEAR(x, bar.number("x") + bar.number("width") / 2, 0.11) << name;
    EXPECT_NEAR(y, bar.number("y") - 7.5, 0.11) << name;
  }
}

// Those of the first scatter, by throughput.
const PageElement& marked_point(const Page& page, const std::string& mark) {
  const int figure = static_cast<int>(
      std::ranges::find(page, "scatter", [](const PageElement& e) { return e["class"]; }) -
      page.begin());
  for (int i = figure; i < static_cast<int>(page.size()); ++i) {
    if (page[i].name == "use" && page[i]["href"] == "#mark-" + mark) return page[i];
  }
  ADD_FAILURE() << "no mark " << mark;
  return page[0];
}

TEST_F(Report, MarksStandOnTheirPoints) {
  Json bench = example();
  bench["configurations"][14].update({{"throughput_fps", 249}, {"predicted_fps", 262}});
  const Page page = report(bench);
  const PageElement& chosen = *drawn(page, "Predicted", "gg/cg3", "circle", "coarse");
  const PageElement& baseline = *drawn(page, "Predicted", "gc/mg", "rect", "medium");
  EXPECT_EQ(place_of(marked_point(page, "chosen")),
            std::pair(chosen.number("cx"), chosen.number("cy")));
  EXPECT_EQ(place_of(marked_point(page, "baseline")),
            std::pair(baseline.number("x") + 3, baseline.number("y") + 3));
  // The best's point is next to the chosen one's: its mark gives way, and a line leads to it.
  const PageElement& best = *drawn(page, "Predicted", "gg/mg", "rect", "medium");
  const auto [x, y] = place_of(marked_point(page, "best"));
  ASSERT_LT(y, best.number("y") - 5);
  EXPECT_EQ(x, best.number("x") + 3);
  EXPECT_TRUE(std::ranges::any_of(page, [&, x = x](const PageElement& line) {
    return line["class"] == "leader" && line.number("x1") == x &&
           line.number("y2") == best.number("y") + 3;
  }));
}

TEST_F(Report, TheLeastEnergyIsBest) {
  Json bench = example();
  bench["configurations"][5]["energy_per_frame_j"] = 1;  // gc/cg2
  const Page page = report(bench);
  EXPECT_NE(drawn(page, "Energy", "gc/cg2", "use", "#mark-best"), nullptr);
  EXPECT_NE(drawn(page, "Throughput", "gg/mg", "use", "#mark-best"), nullptr);
}

TEST_F(Report, TheBestIsWhatTheFileCallsSo) {
  Json bench = example();
  bench["configurations"][5]["throughput_fps"] = 1000;  // the luck of one short run
  const Page page = report(bench);
  EXPECT_EQ(drawn(page, "Throughput", "gc/cg2", "use", "#mark-best"), nullptr);
  EXPECT_NE(drawn(page, "Throughput", "gg/mg", "use", "#mark-best"), nullptr);
}

TEST_F(Report, TellsWhatTheFileSays) {
  const Page page = report(example());
  const std::string& all = page[0].text;
  for (const char* words :
       {"vivid, 600\u00d7416", "at least 40", "Device <1> & \"co\"", "nvml", "96.0%",
        "Training: 5 experiments on 8 frames, 0.250 s.", "16 of 16 within 10%",
        "0 of 16 within 10%", "median error 5.0%", "furthest off", "chosen: gg/cg3, 240 frames/s",
        "least: gg/mg, 5.00 J/frame", "baseline: gc/mg, 122 frames/s (dashed line)",
        "gc/mg: 170 frames/s measured, 178 "}) {
    EXPECT_NE(all.find(words), std::string::npos) << words;
  }
}

TEST_F(Report, TellsWhereTheFileComesFrom) {
  EXPECT_EQ(report(example())[0].text.find("Processor"), std::string::npos) << "of an older file";
  Json bench = example();
  bench.update({{"schema", 1},
                {"version", "1.2.3"},
                {"date", "2024-05-06T07:08:09Z"},
                {"host", "a-host"},
                {"processor", "a processor"},
                {"input", nullptr}});
  const std::string all = report(bench)[0].text;
  for (const char* words : {"By Tandem1.2.3", "Measured2024-05-06T07:08:09Z", "Ona-host",
                            "Processora processor", "Inputa moving pattern"}) {
    EXPECT_NE(all.find(words), std::string::npos) << words;
  }
  bench["input"] = "people.avi";
  EXPECT_NE(report(bench)[0].text.find("Inputpeople.avi"), std::string::npos);
}

TEST_F(Report, ChosenByEfficiency) {
  Json bench = example();
  bench["metric"] = "efficiency";
  bench["baseline"]["energy_per_frame_j"] = 30;
  bench["best"]["energy_per_frame_j"] = 5;  // 50 fps/J
  bench["chosen"].erase("ratio_to_best");
  bench["chosen"]["energy_per_frame_j"] = 6;  // 40 fps/J
  const Page page = report(bench);
  EXPECT_EQ(count_elements(page, "line", "baseline-rate"), 3 * 4);
  for (const char* words : {"Chosen and best byefficiency", "Chosengg/cg324080.0%", "8.1%",
                            "baseline: gc/mg, 30.0 J/frame", "baseline: gc/mg, 4.05 fps/J"}) {
    EXPECT_NE(page[0].text.find(words), std::string::npos) << words;
  }
}

TEST_F(Report, AMissingValueIsLeftOut) {
  Json bench = example();
  bench["configurations"][2]["throughput_fps"] = nullptr;
  bench["configurations"][3]["predicted_fps"] = nullptr;
  for (int i = 4; i < 11; ++i) bench["configurations"][i]["predicted_fps"] = 1;  // half are far off
  const Page page = report(bench);
  EXPECT_EQ(drawn(page, "Throughput", "cc/cg3", "rect", "coarse"), nullptr);
  EXPECT_NE(drawn(page, "Throughput", "cc/cg3", "use", "#mark-predicted"), nullptr);
  EXPECT_EQ(drawn(page, "Efficiency", "cc/cg3", "rect", "coarse"), nullptr);
  EXPECT_NE(drawn(page, "Energy", "cc/cg3", "rect", "coarse"), nullptr);
  EXPECT_EQ(drawn(page, "Throughput", "cc/mg", "use", "#mark-predicted"), nullptr);
  EXPECT_NE(page[0].text.find("7 of 14 within 10%; median error 52."), std::string::npos);
}

TEST_F(Report, WhatHasNoDataHasNoHeading) {
  Json bench = example();
  for (Json& c : bench["configurations"]) {
    c["energy_per_frame_j"] = c["predicted_fps"] = c["predicted_energy_j"] = nullptr;
  }
  for (const char* field : {"opencl_device", "energy_source", "baseline", "chosen", "training"}) {
    bench[field] = nullptr;
  }
  const Page page = report(bench);
  EXPECT_EQ(count_elements(page, "div", "panels"), 1);
  EXPECT_EQ(count_elements(page, "figure", "scatter"), 0);
  EXPECT_EQ(count_marks(page, "predicted"), 0);
  EXPECT_EQ(headings(page), std::vector<std::string>{"Throughput frames/s; more is better"});
  EXPECT_NE(page[0].text.find("Energynot measured"), std::string::npos) << "among the conditions";
  EXPECT_EQ(count_elements(page, "p", "choice"), 0);
  EXPECT_EQ(page[0].text.find("nan"), std::string::npos);
}

TEST_F(Report, SmallEnergiesAreInMillijoules) {
  Json bench = example();
  for (Json& c : bench["configurations"]) {
    c["energy_per_frame_j"] = c["energy_per_frame_j"].get<double>() / 1000;
    c["predicted_energy_j"] = nullptr;
  }
  const std::string text = report(bench)[0].text;
  EXPECT_NE(text.find("least: gg/mg, 5.00 mJ/frame"), std::string::npos);
  EXPECT_NE(text.find("best: gg/mg, 50000 fps/J"), std::string::npos);
}

TEST_F(Report, SeveralFilesOnStandardOutput) {
  Json other = example();
  other["width"] = 1920;
  write_file(path("a"), example().dump());
  write_file(path("b"), other.dump());
  const CommandResult result = run_tandem({"report", path("a"), path("b"), "--output", "-"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Page page = parse_page(result.output);
  EXPECT_EQ(count_elements(page, "article", ""), 2);
  EXPECT_EQ(count_elements(page, "div", "panels"), 6);
}

TEST_F(Report, ReadsWhatBenchWrites) {
  make_model(folder_);
  const CommandResult bench = run_tandem({"bench", "vivid", "--size", "96x144", "--frames", "2",
                                          "--seconds", "0", "--cores", "1", "--opencl-device",
                                          "no such device", "--json", path("bench.json")});
  ASSERT_EQ(bench.status, 0) << bench.errors;
  const CommandResult result = run_tandem({"report", path("bench.json"), "-o", "-"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Page page = parse_page(result.output);
  EXPECT_NE(drawn(page, "Throughput", "ccc/mg", "rect", "medium"), nullptr);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
