// SPDX-License-Identifier: LGPL-2.1-or-later
#include <nlohmann/json.hpp>

#include "scheduler/learn/keep/knowledge_json.h"
#include "scheduler/learn/keep/knowledge_words.h"

namespace tandem {
namespace {

using OrderedJson = nlohmann::ordered_json;  // the library writes what is not finite as null

OrderedJson to_json(const Energy& energy) {
  return {{"c", energy.c}, {"g", energy.g}, {"u", energy.u}};
}

OrderedJson numbers_of(uint32_t stages) {
  OrderedJson list = OrderedJson::array();
  for (int k = 0; k < kMaxStages; ++k)
    if ((stages >> k & 1) != 0) list.push_back(k);
  return list;
}

OrderedJson to_json(const Chain& chain) {
  OrderedJson json{
      {"stages", chain.stages},
      {"cores", chain.cores},
      {"device_stages", numbers_of(chain.device_capable)},
      {"devices", chain.devices},
      {"lanes", chain.lanes},
      {"serial_stages", numbers_of(chain.serial_stages)},
      {"tdp_w", chain.tdp_w},
      {"domains",
       {{"c", word_of(kDomainWords, chain.domains.c)},
        {"g", word_of(kDomainWords, chain.domains.g)},
        {"u", word_of(kDomainWords, chain.domains.u)}}},
      {"energy_resolution_s", chain.energy_resolution_s},
      {"window", chain.window},
  };
  if (chain.device_only != 0) json["device_only_stages"] = numbers_of(chain.device_only);
  if (splittable(chain) != 0) json["split_stages"] = numbers_of(splittable(chain));
  if (chain.bands != 0) json["band_stages"] = numbers_of(chain.bands);
  return json;
}

OrderedJson to_json(const Observation& seen) {
  OrderedJson stages = OrderedJson::array();
  for (const Observation::StageTimes& stage : seen.stages) {
    stages.push_back({{"seconds", stage.seconds},
                      {"upload_s", stage.upload_s},
                      {"download_s", stage.download_s}});
  }
  OrderedJson json{
      {"configuration", to_string(seen.configuration)},
      {"kind", word_of(kKindWords, seen.kind)},
      {"lasted_s", seen.lasted_s},
      {"frames", seen.frames},
      {"starved_frames", seen.starved_frames},
      {"in_vain", seen.in_vain},
      {"frame_s", seen.frame_s},
      {"device_frame_s", seen.device_frame_s},
      {"service_s", seen.service_s},
      {"latency_s", seen.latency_s},
      {"cores_s", seen.cores_s},
      {"cpu_s", seen.cpu_s},
      {"stages", std::move(stages)},
      {"watts", to_json(seen.watts)},
      {"relative_error", seen.relative_error},
  };
  if (seen.spaced) json["spaced"] = true;
  if (seen.configuration.mapping.any_split()) {
    json["split_cores_s"] = seen.split_cores_s;
    json["split_device_s"] = seen.split_device_s;
  }
  return json;
}

OrderedJson to_json(const std::optional<Candidate>& chosen) {
  if (!chosen) return nullptr;
  const Prediction& expected = chosen->prediction;
  return {
      {"configuration", to_string(chosen->configuration)},
      {"throughput_fps", expected.throughput_fps},
      {"energy_j", expected.energy_j},
      {"p_device", expected.p_device},
      {"power_w", expected.power_w},
      {"latency_s", expected.latency_s},
  };
}

template <class Value>
OrderedJson or_null(const std::optional<Value>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

OrderedJson to_json(const Constraints& allowed) {
  OrderedJson json{
      {"mapping",
       allowed.mapping ? OrderedJson(to_string(*allowed.mapping)) : OrderedJson(nullptr)},
      {"granularity", allowed.granularity
                          ? OrderedJson(word_of(kGranularityWords, *allowed.granularity))
                          : OrderedJson(nullptr)},
      {"threads", or_null(allowed.threads)},
      {"lanes", or_null(allowed.lanes)},
      {"most_cores", allowed.most_cores},
      {"most_lanes", allowed.most_lanes},
  };
  if (allowed.frames_at_once > 1) json["frames_at_once"] = allowed.frames_at_once;
  if (allowed.tasks) json["tasks"] = *allowed.tasks;
  if (allowed.cpu_share) json["cpu_share"] = *allowed.cpu_share;
  return json;
}

OrderedJson to_json(const Known& known) {
  OrderedJson observations = OrderedJson::array();
  for (const Observation& seen : known.facts.observations) observations.push_back(to_json(seen));
  const Conditions& conditions = known.conditions;
  return {
      {"stages", conditions.stages},
      {"format", conditions.format},
      {"width", conditions.width},
      {"height", conditions.height},
      {"processor", conditions.processor},
      {"cores", conditions.cores},
      {"device", conditions.device},
      {"trained_s", known.trained_s},
      {"chosen", to_json(known.chosen)},
      {"objective",
       {{"metric", word_of(kMetricWords, known.objective.metric)},
        {"target_fps", known.objective.target_fps},
        {"power_budget_w", known.objective.power_budget_w},
        {"target_latency_s", known.objective.target_latency_s}}},
      {"allowed", to_json(known.allowed)},
      {"chain", to_json(known.facts.chain)},
      {"observations", std::move(observations)},
  };
}

}  // namespace

std::string write_knowledge(std::span<const Known> known) {
  std::string text = "{\"schema\": " + std::to_string(kKnowledgeSchema) + ", \"entries\": [";
  const char* separator = "\n";
  for (const Known& one : known) {
    text += separator + to_json(one).dump();
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace tandem
