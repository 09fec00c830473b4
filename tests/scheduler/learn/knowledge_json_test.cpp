// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep/knowledge_json.h"

#include <nlohmann/json.hpp>

#include "tests/scheduler/learn/kept_knowledge.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

// NaN is unknown on both sides.
void expect_same(double one, double other) {
  if (known(one) || known(other)) {
    EXPECT_EQ(one, other);
  }
}

void expect_same(const Cost& one, const Cost& other) {
  expect_same(one.seconds, other.seconds);
  expect_same(one.joules.c, other.joules.c);
  expect_same(one.joules.g, other.joules.g);
  expect_same(one.joules.u, other.joules.u);
}

// Earlier versions measured fewer lanes then.
TEST(KnowledgeJson, AnEntryWithAPriorOfLanesIsLeftOut) {
  const std::vector<Known> two{example(600), example(1920)};
  Json json = Json::parse(write_knowledge(two));
  json["entries"][0]["lane_prior"] = {{"gains", {1, 1.5}}, {"band_gains", Json::array()}};
  const KnowledgeText text = read_knowledge(json.dump());
  EXPECT_EQ(text.problem, "");
  ASSERT_EQ(text.known.size(), 1U);
  EXPECT_EQ(text_of(text.known[0]), text_of(two[1]));
}

TEST(KnowledgeJson, WhatIsReadMeansWhatWasWritten) {
  const Known before = example();
  const KnowledgeText text = read_knowledge(text_of(before));
  ASSERT_EQ(text.problem, "");
  ASSERT_EQ(text.known.size(), 1U);
  const Known& after = text.known[0];
  EXPECT_EQ(after.conditions, before.conditions);
  EXPECT_EQ(after.trained_s, before.trained_s);
  EXPECT_EQ(after.objective, before.objective);
  EXPECT_EQ(after.allowed, before.allowed);
  EXPECT_EQ(after.chosen->configuration, before.chosen->configuration);
  EXPECT_EQ(after.chosen->prediction.throughput_fps, 240.5);
  EXPECT_FALSE(known(after.chosen->prediction.energy_j));
  EXPECT_EQ(text_of(after), text_of(before));

  const Findings one = learnt_of(before).findings;
  const Findings other = learnt_of(after).findings;
  EXPECT_EQ(one.relative_error, other.relative_error);
  EXPECT_EQ(one.starved, other.starved);
  ASSERT_EQ(one.trials.size(), 4U);
  ASSERT_EQ(other.trials.size(), 4U);
  EXPECT_EQ(one.trials[3].configuration, other.trials[3].configuration);
  expect_same(one.trials[3].measured.throughput_fps, other.trials[3].measured.throughput_fps);
  expect_same(one.trials[3].measured.energy_j, other.trials[3].measured.energy_j);
  expect_same(one.trials[3].predicted.throughput_fps, other.trials[3].predicted.throughput_fps);
  const Measurements& m = one.measurements;
  const Measurements& n = other.measurements;
  EXPECT_EQ(m.cores, n.cores);
  EXPECT_EQ(m.devices, n.devices);
  EXPECT_EQ(m.window, n.window);
  EXPECT_EQ(m.tdp_w, n.tdp_w);
  expect_same(m.device_cores, n.device_cores);
  ASSERT_EQ(m.cg.size(), n.cg.size());
  for (std::size_t i = 0; i < m.cg.size(); ++i) expect_same(m.cg[i], n.cg[i]);
  ASSERT_EQ(m.stages.size(), n.stages.size());
  for (std::size_t k = 0; k < m.stages.size(); ++k) {
    EXPECT_EQ(m.stages[k].has_device, n.stages[k].has_device);
    EXPECT_EQ(m.stages[k].serial, n.stages[k].serial);
    expect_same(m.stages[k].cg, n.stages[k].cg);
    expect_same(m.stages[k].mg, n.stages[k].mg);
    expect_same(m.stages[k].device, n.stages[k].device);
    expect_same(m.stages[k].upload, n.stages[k].upload);
    expect_same(m.stages[k].download, n.stages[k].download);
  }
  for (std::size_t i = 0; i < m.lane_factors.size(); ++i) {
    expect_same(m.lane_factors[i].seconds, n.lane_factors[i].seconds);
    expect_same(m.lane_factors[i].joules, n.lane_factors[i].joules);
  }
}

TEST(KnowledgeJson, NamesStagesWithoutACpuImplementation) {
  Known before = example();
  before.facts.chain.device_only = 1;
  const KnowledgeText text = read_knowledge(text_of(before));
  ASSERT_EQ(text.problem, "");
  EXPECT_EQ(text.known[0].facts.chain.device_only, 1U);
  EXPECT_EQ(text.known[0].allowed.device_only, 1U);
  EXPECT_EQ(text_of(text.known[0]), text_of(before));
  before.facts.chain.device_capable = 2;
  EXPECT_NE(read_knowledge(text_of(before)).problem, "");
}

TEST(KnowledgeJson, SaysWhatFramesWereSpaced) {
  Known before = example();
  before.facts.observations[0].spaced = true;
  const KnowledgeText text = read_knowledge(text_of(before));
  ASSERT_EQ(text.problem, "");
  EXPECT_TRUE(text.known[0].facts.observations[0].spaced);
  EXPECT_FALSE(text.known[0].facts.observations[1].spaced);
}

TEST(KnowledgeJson, MayHaveChosenNothing) {
  Learnt learnt;
  learnt.facts = example().facts;
  const Known nothing = known_of(example().conditions, learnt, 5);
  EXPECT_FALSE(nothing.chosen);
  const KnowledgeText text = read_knowledge(text_of(nothing));
  ASSERT_EQ(text.problem, "");
  EXPECT_FALSE(text.known[0].chosen);
  EXPECT_EQ(learnt_of(text.known[0]).chosen.configuration.mapping.stages, 0);
  EXPECT_EQ(read_knowledge(write_knowledge({})).problem, "");
}

TEST(KnowledgeJson, WhatIsNotFiniteIsUnknown) {
  Known odd = example();
  odd.facts.observations[0].service_s = std::numeric_limits<double>::infinity();
  const KnowledgeText text = read_knowledge(text_of(odd));
  ASSERT_EQ(text.problem, "");
  EXPECT_FALSE(known(text.known[0].facts.observations[0].service_s));
}

TEST(KnowledgeJson, EveryFieldIsNeeded) {
  const Json good = Json::parse(text_of(example()));
  const std::vector<std::string> objects = {
      "",
      "/entries/0",
      "/entries/0/chain",
      "/entries/0/chain/domains",
      "/entries/0/chosen",
      "/entries/0/objective",
      "/entries/0/allowed",
      "/entries/0/observations/0",
      "/entries/0/observations/0/watts",
      "/entries/0/observations/0/stages/0",
  };
  int fields = 0;
  for (const std::string& object : objects) {
    for (const auto& [name, value] : good[Json::json_pointer(object)].items()) {
      if (name == "device_frame_s" || name == "latency_s" || name == "target_latency_s")
        continue;  // older files have none
      Json bad = good;
      bad[Json::json_pointer(object)].erase(name);
      const KnowledgeText text = read_knowledge(bad.dump());
      EXPECT_NE(text.problem.find(name + "' is missing"), std::string::npos)
          << object << "/" << name << ": " << text.problem;
      EXPECT_TRUE(text.known.empty());
      EXPECT_FALSE(text.other_schema);
      ++fields;
    }
  }
  EXPECT_GE(fields, 60);
}

TEST(KnowledgeJson, EveryValueIsChecked) {
  const struct {
    const char* where;
    Json value;
    const char* says;
  } cases[] = {
      {"/schema", "1", "'schema' is not a number"},
      {"/entries", 7, "'entries' is not a list"},
      {"/entries/0", 7, "'entries[0]' is not an object"},
      {"/entries/0/stages", "", "'entries[0].stages' is empty"},
      {"/entries/0/stages", "a\x1b[2J", "'entries[0].stages' has a control character"},
      {"/entries/0/device", "a\xc2\x9b", "'entries[0].device' has a control character"},
      {"/entries/0/processor", std::string(20000, 'x'), "'entries[0].processor' is too long"},
      {"/entries/0/width", 0, "'entries[0].width' is 0"},
      {"/entries/0/height", 1e9, "'entries[0].height'"},
      {"/entries/0/cores", 3, "'entries[0].chain.cores' is less than"},
      {"/entries/0/trained_s", -1, "'entries[0].trained_s' is -1, below 0"},
      {"/entries/0/trained_s", 1e300, "too large"},
      {"/entries/0/chain/stages", 17, "'entries[0].chain.stages' is 17"},
      {"/entries/0/chain/stages", 3, "has 2 letters, but there are 3 stages"},
      {"/entries/0/chain/device_stages", Json::array({2}), "names a stage that is not there"},
      {"/entries/0/chain/device_stages", Json::array({1e300}), "names a stage that is not there"},
      {"/entries/0/chain/lanes", Json::array({9}), "has a number that is not 2 to 8"},
      {"/entries/0/chain/devices", 9, "'entries[0].chain.devices' is 9"},
      {"/entries/0/chain/domains/c", "most", "'entries[0].chain.domains.c' is none"},
      {"/entries/0/chain/window", -1, "'entries[0].chain.window' is -1"},
      {"/entries/0/chosen/configuration", "gg/cg4", "is not a configuration"},
      {"/entries/0/chosen/throughput_fps", "many", "is not a number"},
      {"/entries/0/objective/metric", "speed", "'entries[0].objective.metric' is none"},
      {"/entries/0/allowed/mapping", "gx", "has the letter 'x'"},
      {"/entries/0/allowed/granularity", "fine", "is none that is known"},
      {"/entries/0/allowed/lanes", 9, "'entries[0].allowed.lanes' is 9"},
      {"/entries/0/observations/0/configuration", "cc/cg1\x1b", "has a control character"},
      {"/entries/0/observations/0/configuration", "ccc/cg1", "has 3 letters"},
      {"/entries/0/observations/0/kind", "guess", "is none that is known"},
      {"/entries/0/observations/0/frames", 2000000, "'entries[0].observations[0].frames'"},
      {"/entries/0/observations/0/starved_frames", 101, "starved_frames' is 101"},
      {"/entries/0/observations/0/in_vain", 1, "is not true or false"},
      {"/entries/0/observations/0/frame_s", 0, "'entries[0].observations[0].frame_s' is 0"},
      {"/entries/0/observations/0/frame_s", -1, "below 0"},
      {"/entries/0/observations/0/cores_s", 1e10, "too large"},
      {"/entries/0/observations/0/cpu_s", -1e10, "too small"},
      {"/entries/0/observations/0/stages", Json::array(), "has not one element for each stage"},
      {"/entries/0/observations/0/relative_error", nullptr, "is not a number but null"},
  };
  const Json good = Json::parse(text_of(example()));
  for (const auto& [where, value, says] : cases) {
    Json bad = good;
    ASSERT_TRUE(bad.contains(Json::json_pointer(where))) << where;
    bad[Json::json_pointer(where)] = value;
    const KnowledgeText text = read_knowledge(bad.dump());
    EXPECT_NE(text.problem.find(says), std::string::npos) << where << ": " << text.problem;
    EXPECT_TRUE(text.known.empty());
  }
  Json many = good;
  for (int i = 0; i < 2001; ++i)
    many["/entries/0/observations"_json_pointer].push_back(good["entries"][0]["observations"][0]);
  EXPECT_NE(read_knowledge(many.dump()).problem.find("more than 2000"), std::string::npos);
}

TEST(KnowledgeJson, AnotherSchemaIsToldApartFromDamage) {
  const KnowledgeText text = read_knowledge(R"({"schema": 2, "something": "else"})");
  EXPECT_TRUE(text.other_schema);
  EXPECT_EQ(text.problem, "has schema 2, and this Tandem reads 1");
  for (const char* damaged : {"", "[]", "{}", R"({"schema": 0})", R"({"schema": 1.5})", "\xff"})
    EXPECT_FALSE(read_knowledge(damaged).other_schema) << damaged;
}

TEST(KnowledgeJson, SplitsAndFramesAtATimeAreKept) {
  Known before = example();
  before.facts.chain.can_split = 3;
  before.facts.chain.bands = 2;
  Configuration split{{3, 2, Side::s}, Granularity::medium, 3, 1, 1, 37};
  Observation seen = carried_out({split, Observation::Kind::experiment});
  seen.split_cores_s = 2e-3;
  before.facts.observations.push_back(seen);
  split.frames_at_once = 2;
  before.chosen->configuration = split;
  before.allowed = {.mapping = split.mapping, .tasks = 4, .frames_at_once = 2, .cpu_share = 37};
  const KnowledgeText text = read_knowledge(text_of(before));
  ASSERT_EQ(text.problem, "");
  const Known& after = text.known.at(0);
  EXPECT_EQ(after.facts.chain.can_split, 3U);
  EXPECT_EQ(after.facts.chain.bands, 2U);
  EXPECT_EQ(to_string(after.facts.observations.back().configuration), "ss/mg/a37");
  EXPECT_EQ(after.facts.observations.back().split_cores_s, 2e-3);
  EXPECT_FALSE(known(after.facts.observations.back().split_device_s));
  EXPECT_EQ(to_string(after.chosen->configuration), "ss/mg2/a37");
  EXPECT_EQ(after.allowed, before.allowed);
  EXPECT_EQ(text_of(after), text_of(before));
}

TEST(KnowledgeJson, AStageThatCannotBeSplitIsNotRead) {
  Known known = example();
  known.chosen->configuration = {{3, 2, Side::s}, Granularity::medium, 3, 1, 1, 37};
  EXPECT_NE(read_knowledge(text_of(known)).problem.find("cannot be split"), std::string::npos);
  known.facts.chain.can_split = 3;
  EXPECT_EQ(read_knowledge(text_of(known)).problem, "");
  Json file = Json::parse(text_of(known));
  file["entries"][0]["chain"]["device_stages"] = {0};
  EXPECT_NE(read_knowledge(file.dump()).problem.find("split_stages"), std::string::npos);
}

}  // namespace
}  // namespace tandem::test
