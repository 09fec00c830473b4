// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/bench_file.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "files/json_object.h"
#include "files/json_text.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

constexpr int kMostLanes = 64, kMostTasks = 64;
constexpr int kMostThreads = 4096;  // each has its place in a drawing

// No bench measures other numbers, and the axes of the drawing could not hold them.
constexpr NumberBounds kBounds{0, 1e15, 1e-15};

using Object = JsonObject;

BenchFile::Configuration read_configuration(const Object& object) {
  BenchFile::Configuration configuration;
  configuration.name = object.text("name");
  configuration.mapping = object.text("mapping");
  if (configuration.mapping.empty() ||
      configuration.mapping.find_first_not_of("cgs") != std::string::npos) {
    fail_field(object.path_of("mapping"),
               "is '" + configuration.mapping + "'; a mapping has one letter a stage, c, g or s");
  }
  const std::string granularity = object.text("granularity");
  if (granularity == "cg") {
    configuration.threads = object.count("threads", kMostThreads);
  } else if (granularity != "mg") {
    fail_field(object.path_of("granularity"), "is '" + granularity + "'; known are cg and mg");
  }
  if (granularity == "mg" && object.has("frames_at_once"))
    configuration.frames_at_once = object.count("frames_at_once", kMostThreads);
  if (object.has("split") && object.number_or_null("split"))
    configuration.split = object.count("split", 99);
  if (configuration.split.has_value() != (configuration.mapping.find('s') != std::string::npos))
    fail_field(object.path_of("split"), "does not fit the mapping: one has a split, one has none");
  // Files of before lanes have none.
  if (object.has("lanes") && object.number_or_null("lanes"))
    configuration.lanes = object.count("lanes", kMostLanes);
  if (object.has("tasks") && object.number_or_null("tasks"))
    configuration.tasks = object.count("tasks", kMostTasks);
  configuration.measured = {object.number_or_null("throughput_fps"),
                            object.number_or_null("energy_per_frame_j"),
                            object.number_if_there("latency_ms")};
  configuration.predicted = {object.number_or_null("predicted_fps"),
                             object.number_or_null("predicted_energy_j"),
                             object.number_if_there("predicted_latency_ms")};
  return configuration;
}

std::vector<BenchFile::Configuration> read_configurations(const Object& file) {
  const std::string field = "configurations";
  const Json& list = file.at(field.c_str());
  if (!list.is_array() || list.empty()) fail_field(field, "is not a list of configurations");
  std::vector<BenchFile::Configuration> configurations;
  std::set<std::string> names;
  for (const Json& entry : list) {
    const Object object(entry, field + "[" + std::to_string(configurations.size()) + "]", kBounds);
    configurations.push_back(read_configuration(object));
    const std::string& name = configurations.back().name;
    if (!names.insert(name).second)
      fail_field(object.path_of("name"), "is '" + name + "' once more");
  }
  return configurations;
}

std::optional<BenchFile::Pick> read_pick(const Object& file, const char* name) {
  const std::optional<Object> object = file.object_or_null(name);
  if (!object) return std::nullopt;
  return BenchFile::Pick{
      object->text("name"),
      {object->number_or_null("throughput_fps"), object->number_if_there("energy_per_frame_j"),
       object->number_if_there("latency_ms")},
      object->number_if_there("ratio_to_best"),
      {object->number_if_there("predicted_fps"), object->number_if_there("predicted_energy_j"),
       object->number_if_there("predicted_latency_ms")},
  };
}

BenchFile::Training read_training(const Object& training) {
  BenchFile::Training read{training.number_or_null("experiments"),
                           training.number_or_null("frames"),
                           training.number_or_null("seconds"),
                           training.number_if_there("trials"),
                           {},
                           training.number_if_there("expected_loss")};
  if (!training.has("ranking")) return read;
  const Json& list = training.at("ranking");
  const std::string field = training.path_of("ranking");
  if (!list.is_array()) fail_field(field, "is not a list of configurations");
  for (const Json& entry : list) {
    const Object ranked(entry, field + "[" + std::to_string(read.ranking.size()) + "]", kBounds);
    read.ranking.push_back(
        {ranked.text("name"),
         {ranked.number_or_null("expected_fps"), ranked.number_or_null("expected_energy_j"),
          ranked.number_if_there("expected_latency_ms")}});
  }
  return read;
}

// Later schemas give fields another meaning.
void check_schema(const Object& file) {
  constexpr int kKnown = 1;
  if (!file.has("schema") || file.count("schema") <= kKnown) return;
  fail_field("schema", "is " + file.at("schema").dump() +
                           ", of a later Tandem; this one reads up to " + std::to_string(kKnown));
}

}  // namespace

BenchFile parse_bench_file(const std::string& text) {
  const Json json = parse_json(text);
  if (!json.is_object()) throw std::runtime_error("is JSON, but not one object");
  const Object file(json, "", kBounds);
  check_schema(file);
  BenchFile bench;
  bench.origin = {file.text_if_there("version"), file.text_if_there("date"),
                  file.text_if_there("host"), file.text_if_there("processor"),
                  file.text_if_there("input")};
  bench.configurations = read_configurations(file);
  bench.app = file.text("app");
  bench.width = file.count("width");
  bench.height = file.count("height");
  bench.frames = file.count("frames");
  bench.cores = file.count("cores");
  bench.opencl_device = file.text_or_null("opencl_device");
  bench.energy_source = file.text_or_null("energy_source");
  bench.metric = file.has("metric") ? file.text("metric") : "throughput";
  if (const std::optional<Object> alone = file.object_or_null("homogeneous")) {
    bench.cpu_mg_fps = alone->number_or_null("cpu_mg_fps");
    bench.cpu_cg_fps = alone->number_or_null("cpu_cg_fps");
    bench.device_fps = alone->number_or_null("device_fps");
  }
  bench.baseline = read_pick(file, "baseline");
  bench.chosen = read_pick(file, "chosen");
  bench.best = read_pick(file, "best");
  if (const std::optional<Object> training = file.object_or_null("training"))
    bench.training = read_training(*training);
  return bench;
}

const BenchFile::Configuration* find_configuration(const BenchFile& bench,
                                                   const std::string& name) {
  const auto found = std::ranges::find(bench.configurations, name, &BenchFile::Configuration::name);
  return found == bench.configurations.end() ? nullptr : &*found;
}

}  // namespace tandem
