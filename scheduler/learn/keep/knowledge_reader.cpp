// SPDX-License-Identifier: LGPL-2.1-or-later
#include <span>
#include <stdexcept>

#include "files/json_object.h"
#include "files/json_text.h"
#include "scheduler/learn/keep/knowledge_json.h"
#include "scheduler/learn/keep/knowledge_words.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// Limits far beyond what a machine measures. Results stay finite, and sums of frames stay below
// 2^31.
constexpr NumberBounds kAmount{0, 1e9, 0};
constexpr NumberBounds kSigned{-1e9, 1e9, 0};  // differences of counters
constexpr NumberBounds kTime{0, 1e11, 0};
constexpr int kMostCores = 4096, kMostPixels = 1 << 20, kMostFrames = 1000000, kMostWindow = 100000;
constexpr std::size_t kMostObservations = 2000, kMostEntries = 100000;
constexpr std::size_t kMostText = 16384;

// Goes to a terminal some day: no control characters, those of two bytes included.
std::string read_text(const JsonObject& object, const char* name, bool may_be_empty = false) {
  std::string text = object.text(name);
  if (text.size() > kMostText) fail_field(object.path_of(name), "is too long");
  if (text.empty() && !may_be_empty) fail_field(object.path_of(name), "is empty");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool high = byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte < 0x20 || byte == 0x7f || high)
      fail_field(object.path_of(name), "has a control character");
  }
  return text;
}

template <class Value, std::size_t kCount>
Value read_word(const JsonObject& object, const char* name, const Word<Value> (&words)[kCount]) {
  const std::string text = object.text(name);
  for (const auto& [value, word] : words)
    if (word == text) return value;
  fail_field(object.path_of(name), "is none that is known");
}

double number_or_unknown(const JsonObject& object, const char* name) {
  return object.number_or_null(name).value_or(kUnknown);
}

Energy read_energy(const JsonObject& object, const char* name) {
  const JsonObject energy = object.object(name).within(kSigned);
  return {number_or_unknown(energy, "c"), number_or_unknown(energy, "g"),
          number_or_unknown(energy, "u")};
}

uint32_t read_stage_numbers(const JsonObject& object, const char* name, int stages) {
  uint32_t bits = 0;
  for (const Json& number : object.list(name, kMaxStages)) {
    if (!number.is_number_integer() || number.get<double>() < 0 || number.get<double>() >= stages)
      fail_field(object.path_of(name), "names a stage that is not there");
    bits |= 1u << number.get<int>();
  }
  return bits;
}

Chain read_chain(const JsonObject& object) {
  Chain chain;
  chain.stages = object.count("stages", kMaxStages);
  chain.cores = object.count("cores", kMostCores);
  chain.device_capable = read_stage_numbers(object, "device_stages", chain.stages);
  if (object.has("device_only_stages"))
    chain.device_only = read_stage_numbers(object, "device_only_stages", chain.stages);
  if ((chain.device_only & ~chain.device_capable) != 0)
    fail_field(object.path_of("device_only_stages"), "has a stage that no device computes");
  if (object.has("split_stages"))
    chain.can_split = read_stage_numbers(object, "split_stages", chain.stages);
  if ((chain.can_split & ~(chain.device_capable & ~chain.device_only)) != 0)
    fail_field(object.path_of("split_stages"), "has a stage that one side cannot compute");
  if (object.has("band_stages"))
    chain.bands = read_stage_numbers(object, "band_stages", chain.stages);
  chain.devices = object.count("devices", kMaxDevices);
  for (const Json& lanes : object.list("lanes", kMaxLanes)) {
    if (!lanes.is_number_integer() || lanes.get<double>() < 2 || lanes.get<double>() > kMaxLanes)
      fail_field(object.path_of("lanes"), "has a number that is not 2 to 8");
    chain.lanes.push_back(lanes.get<int>());
  }
  chain.serial_stages = read_stage_numbers(object, "serial_stages", chain.stages);
  chain.tdp_w = object.number("tdp_w");
  const JsonObject domains = object.object("domains");
  chain.domains = {read_word(domains, "c", kDomainWords), read_word(domains, "g", kDomainWords),
                   read_word(domains, "u", kDomainWords)};
  chain.energy_resolution_s = object.number("energy_resolution_s");
  chain.window = object.count("window", kMostWindow, 0);
  return chain;
}

Configuration read_configuration(const JsonObject& object, const Chain& chain) {
  Configuration configuration;
  const std::string problem = parse_configuration(read_text(object, "configuration"), chain.stages,
                                                  chain.cores, configuration, chain.can_split);
  if (!problem.empty()) fail_field(object.path_of("configuration"), "is wrong: " + problem);
  return configuration;
}

// Whether interpret() needs its times of each stage.
bool needs_stages(const Observation& seen) {
  if (is_trial(seen.kind)) return false;
  const Configuration& configuration = seen.configuration;
  if (configuration.granularity == Granularity::medium) return true;
  if (seen.in_vain) return false;
  return seen.kind == Observation::Kind::stages || seen.kind == Observation::Kind::beside ||
         (!configuration.mapping.any_device() && configuration.threads == 1);
}

Observation read_observation(const JsonObject& object, const Chain& chain) {
  Observation seen;
  seen.configuration = read_configuration(object, chain);
  seen.kind = read_word(object, "kind", kKindWords);
  if (seen.kind == Observation::Kind::beside && cores_beside(seen.configuration, chain.devices) < 1)
    fail_field(object.path_of("configuration"), "leaves no core beside the device");
  seen.lasted_s = object.number("lasted_s");
  seen.frames = object.count("frames", kMostFrames, 0);
  seen.starved_frames = object.count("starved_frames", seen.frames, 0);
  seen.in_vain = object.flag("in_vain");
  if (object.has("spaced")) seen.spaced = object.flag("spaced");
  seen.frame_s = number_or_unknown(object, "frame_s");
  if (seen.frame_s == 0) fail_field(object.path_of("frame_s"), "is 0");
  if (object.has("device_frame_s"))
    seen.device_frame_s = number_or_unknown(object, "device_frame_s");
  seen.service_s = number_or_unknown(object, "service_s");
  if (object.has("latency_s")) seen.latency_s = number_or_unknown(object, "latency_s");
  seen.cores_s = number_or_unknown(object, "cores_s");
  if (object.has("split_cores_s")) {
    seen.split_cores_s = number_or_unknown(object, "split_cores_s");
    seen.split_device_s = number_or_unknown(object, "split_device_s");
  }
  seen.cpu_s = number_or_unknown(object.within(kSigned), "cpu_s");
  const std::size_t stages = object.list("stages", kMaxStages).size();
  for (std::size_t k = 0; k < stages; ++k) {
    const JsonObject stage = object.element("stages", k);
    seen.stages.push_back({number_or_unknown(stage, "seconds"),
                           number_or_unknown(stage, "upload_s"),
                           number_or_unknown(stage, "download_s")});
  }
  if (std::ssize(seen.stages) != chain.stages && (stages > 0 || needs_stages(seen)))
    fail_field(object.path_of("stages"), "has not one element for each stage of the chain");
  seen.watts = read_energy(object, "watts");
  seen.relative_error = object.number("relative_error");
  return seen;
}

std::optional<Candidate> read_chosen(const JsonObject& entry, const Chain& chain) {
  if (entry.at("chosen").is_null()) return std::nullopt;
  const JsonObject object = entry.object("chosen").within(kSigned);
  Prediction expected{number_or_unknown(object, "throughput_fps"),
                      number_or_unknown(object, "energy_j"), number_or_unknown(object, "p_device"),
                      number_or_unknown(object, "power_w")};
  if (object.has("latency_s")) expected.latency_s = number_or_unknown(object, "latency_s");
  return Candidate{read_configuration(object, chain), expected};
}

Constraints read_allowed(const JsonObject& object, const Chain& chain) {
  Constraints allowed;
  if (!object.at("mapping").is_null()) {
    const std::string problem =
        parse_mapping(read_text(object, "mapping"), chain.stages, allowed.mapping.emplace(),
                      kMaxLetters, chain.can_split);
    if (!problem.empty()) fail_field(object.path_of("mapping"), "is wrong: " + problem);
  }
  if (!object.at("granularity").is_null())
    allowed.granularity = read_word(object, "granularity", kGranularityWords);
  if (!object.at("threads").is_null()) allowed.threads = object.count("threads", kMostCores + 1);
  if (!object.at("lanes").is_null()) allowed.lanes = object.count("lanes", kMaxLanes);
  if (object.has("frames_at_once"))
    allowed.frames_at_once = object.count("frames_at_once", kFramesAtOnce[2]);
  if (object.has("tasks")) allowed.tasks = object.count("tasks", kMaxTasks);
  if (object.has("cpu_share")) allowed.cpu_share = object.count("cpu_share", 99, 0);
  allowed.most_cores = object.count("most_cores", kMostCores, 0);
  allowed.most_lanes = object.count("most_lanes", kMaxLanes, 0);
  allowed.device_only = chain.device_only;
  return allowed;
}

Known read_entry(const JsonObject& entry) {
  Known known;
  Conditions& conditions = known.conditions;
  conditions.stages = read_text(entry, "stages");
  conditions.format = read_text(entry, "format");
  conditions.width = entry.count("width", kMostPixels);
  conditions.height = entry.count("height", kMostPixels);
  conditions.processor = read_text(entry, "processor", true);
  conditions.cores = entry.count("cores", kMostCores);
  conditions.device = read_text(entry, "device", true);
  known.trained_s = static_cast<int64_t>(entry.within(kTime).number("trained_s"));
  Chain& chain = known.facts.chain = read_chain(entry.object("chain"));
  // Knowledge of more cores may serve fewer, until these have been tried.
  if (chain.cores < conditions.cores)
    fail_field(entry.path_of("chain.cores"), "is less than the cores that the entry is about");
  known.chosen = read_chosen(entry, chain);
  const JsonObject objective = entry.object("objective");
  known.objective = {read_word(objective, "metric", kMetricWords), objective.number("target_fps"),
                     objective.number("power_budget_w")};
  if (objective.has("target_latency_s"))
    known.objective.target_latency_s = objective.number("target_latency_s");
  known.allowed = read_allowed(entry.object("allowed"), chain);
  const std::size_t observations = entry.list("observations", kMostObservations).size();
  for (std::size_t i = 0; i < observations; ++i)
    known.facts.observations.push_back(read_observation(entry.element("observations", i), chain));
  return known;
}

// Earlier versions predicted what lanes gain, and did not measure all that this one needs.
bool was_spared_lanes(const JsonObject& entry) { return entry.has("lane_prior"); }

}  // namespace

KnowledgeText read_knowledge(const std::string& text) try {
  KnowledgeText read;
  const Json json = parse_json(text);
  if (!json.is_object()) throw std::runtime_error("is JSON, but not one object");
  const JsonObject file(json, "", kAmount);
  const int schema = file.count("schema");
  if (schema != kKnowledgeSchema) {
    read.other_schema = true;
    read.problem = "has schema " + std::to_string(schema) + ", and this Tandem reads " +
                   std::to_string(kKnowledgeSchema);
    return read;
  }
  const std::size_t entries = file.list("entries", kMostEntries).size();
  for (std::size_t i = 0; i < entries; ++i) {
    const JsonObject entry = file.element("entries", i);
    if (!was_spared_lanes(entry)) read.known.push_back(read_entry(entry));
  }
  return read;
} catch (const std::exception& error) {
  return {{}, error.what(), false};
}

}  // namespace tandem
