// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/bench/report.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "model/median.h"
#include "pipelines/formatted.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

Json fps_of(const BenchResult& result, const std::string& name) {
  const BenchMeasurement* found = find_measurement(result, name);
  return found ? Json(found->median_fps()) : Json(nullptr);
}

template <typename Value>
Json optional(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// "predicted_fps" and so on, where `prefix` is "predicted".
void add_expected(Json& json, const std::string& prefix, const Performance& expected) {
  json[prefix + "_fps"] = optional(expected.throughput_fps);
  json[prefix + "_energy_j"] = optional(expected.energy_j);
  json[prefix + "_latency_ms"] = optional(expected.latency_ms);
}

void add_measured(Json& json, const BenchMeasurement& measured) {
  const Performance median = measured.median();
  json["throughput_fps"] = measured.median_fps();
  json["energy_per_frame_j"] = optional(median.energy_j);
  json["latency_ms"] = optional(median.latency_ms);
}

Json summary(const BenchMeasurement& measured) {
  Json json = {{"name", measured.configuration.name()}};
  add_measured(json, measured);
  return json;
}

Json chosen(const BenchResult& result) {
  if (!result.training) return nullptr;
  const BenchMeasurement* found = find_measurement(result, result.training->chosen);
  const BenchMeasurement* best = best_of(result);
  if (!found) return nullptr;
  Json json = summary(*found);
  const double most = score(result, *best);
  json["ratio_to_best"] = most > 0 ? Json(score(result, *found) / most) : Json(nullptr);
  add_expected(json, "predicted", result.training->predicted);
  return json;
}

Json training(const BenchResult& result) {
  if (!result.training) return nullptr;
  const BenchResult::Training& training = *result.training;
  Json ranking = Json::array();
  for (const BenchRanked& ranked : training.ranking) {
    Json one = {{"name", ranked.name}};
    add_expected(one, "expected", ranked.expected);
    ranking.push_back(std::move(one));
  }
  return {{"experiments", training.experiments},
          {"frames", training.frames},
          {"seconds", training.seconds},
          {"trials", optional(training.trials)},
          {"expected_loss", optional(training.expected_loss)},
          {"ranking", std::move(ranking)}};
}

std::size_t stages_of(const BenchResult& result) {
  return result.measurements.empty() ? 0 : result.measurements[0].configuration.mapping.size();
}

constexpr int kNameWidth = 14, kColumnWidth = 11;

struct Column {
  const char* group;  ///< what the columns under it are: "measured"
  const char* head;
  const char* format;
  std::function<std::optional<double>(const BenchMeasurement&)> value;
  bool spread = false;  ///< of the rounds
};

std::vector<Column> columns_of(const BenchResult& result) {
  const std::vector<Column> all = {
      {"measured", "frames/s", "%.2f", [](const auto& m) { return m.median_fps(); }},
      {"", "least", "%.2f", [](const auto& m) { return std::ranges::min(m.rounds_fps); }, true},
      {"", "most", "%.2f", [](const auto& m) { return std::ranges::max(m.rounds_fps); }, true},
      {"", "J/frame", "%.4g", [](const auto& m) { return m.median().energy_j; }},
      {"", "ms (p95)", "%.4g", [](const auto& m) { return m.median().latency_ms; }},
      {"predicted", "frames/s", "%.2f", [](const auto& m) { return m.predicted.throughput_fps; }},
      {"", "J/frame", "%.4g", [](const auto& m) { return m.predicted.energy_j; }},
      {"", "ms (p95)", "%.4g", [](const auto& m) { return m.predicted.latency_ms; }},
  };
  const auto any = [&](const Column& column) {
    return std::ranges::any_of(result.measurements, [&](const BenchMeasurement& m) {
      return !m.rounds_fps.empty() && column.value(m);
    });
  };
  const bool one_round = std::ranges::all_of(
      result.measurements, [](const BenchMeasurement& m) { return m.rounds_fps.size() <= 1; });
  std::vector<Column> columns;
  for (const Column& column : all) {
    if (column.spread ? !one_round : any(column)) columns.push_back(column);
  }
  return columns;
}

}  // namespace

std::string BenchConfiguration::name() const {
  std::string name = mapping + "/" + granularity();
  if (threads) name += std::to_string(*threads);
  if (frames_at_once > 1) name += std::to_string(frames_at_once);
  if (on_device() && lanes > 1) name += "/q" + std::to_string(lanes);
  if (on_device() && tasks > 1) name += "/t" + std::to_string(tasks);
  return split ? name + "/a" + std::to_string(*split) : name;
}

std::vector<BenchConfiguration> bench_configurations(int stages, int cores,
                                                     const std::vector<int>& lanes) {
  std::vector<BenchConfiguration> all;
  const unsigned mappings = lanes.empty() ? 1u : 1u << stages;
  for (unsigned bits = 0; bits < mappings; ++bits) {
    std::string mapping;
    for (int stage = 0; stage < stages; ++stage) mapping += (bits >> stage & 1u) ? 'g' : 'c';
    for (const int s : bits == 0 ? std::vector<int>{1} : lanes) {
      for (int threads = 1; threads <= cores + 1; ++threads) all.push_back({mapping, threads, s});
      all.push_back({mapping, std::nullopt, s});
    }
  }
  return all;
}

std::vector<BenchConfiguration> split_configurations(const std::string& mapping) {
  constexpr int kStep = 10;  // percent
  std::vector<BenchConfiguration> all;
  for (int share = kStep; share < 100; share += kStep)
    all.push_back({.mapping = mapping, .split = share});
  return all;
}

std::optional<BenchConfiguration> read_unlisted(const std::string& name) {
  const auto number_behind = [&](const char* prefix) -> std::optional<int> {
    const std::size_t at = name.find(prefix);
    if (at == std::string::npos) return std::nullopt;
    return std::atoi(name.c_str() + at + std::strlen(prefix));
  };
  const auto split = number_behind("/a"), tasks = number_behind("/t");
  const auto threads = number_behind("/cg");
  if ((!split && !tasks) || (split && threads)) return std::nullopt;
  BenchConfiguration read{.mapping = name.substr(0, name.find('/')),
                          .threads = threads,
                          .lanes = number_behind("/q").value_or(1),
                          .frames_at_once = std::max(1, number_behind("/mg").value_or(1)),
                          .split = split,
                          .tasks = tasks.value_or(1)};
  return read.name() == name ? std::optional(read) : std::nullopt;
}

std::optional<double> median_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  return median(values);
}

Performance median_of(const std::vector<Performance>& rounds) {
  const auto median_of_all = [&](std::optional<double> Performance::*field) {
    std::vector<double> values;
    for (const Performance& round : rounds)
      if (round.*field) values.push_back(*(round.*field));
    return median_of(std::move(values));
  };
  return {median_of_all(&Performance::throughput_fps), median_of_all(&Performance::energy_j),
          median_of_all(&Performance::latency_ms)};
}

Performance BenchMeasurement::median() const {
  return {median_of(rounds_fps), median_of(rounds_energy_j), median_of(rounds_latency_ms)};
}

double score(const BenchResult& result, const BenchMeasurement& measurement) {
  const auto [median_fps, energy_j, latency_ms] = measurement.median();
  const double fps = median_fps.value_or(0);
  if (result.target_latency_ms) {
    const bool late = !latency_ms || *latency_ms > *result.target_latency_ms;
    return late ? 0 : fps;
  }
  if (result.metric == "latency" && latency_ms) return 1 / *latency_ms;
  if (result.metric == "throughput" || result.metric == "latency" || !energy_j) return fps;
  if (result.metric == "energy") return 1 / *energy_j;
  return fps / *energy_j;  // which the energy-delay product is the inverse of
}

std::vector<const BenchMeasurement*> rank(const BenchResult& result) {
  std::vector<const BenchMeasurement*> ranked;
  for (const BenchMeasurement& measurement : result.measurements) ranked.push_back(&measurement);
  std::ranges::stable_sort(ranked, std::greater<>{}, [&](const BenchMeasurement* m) {
    return std::pair(m->heat, score(result, *m));
  });
  return ranked;
}

const BenchMeasurement* best_of(const BenchResult& result) {
  const std::vector<const BenchMeasurement*> ranked = rank(result);
  return ranked.empty() ? nullptr : ranked[0];
}

const BenchMeasurement* find_measurement(const BenchResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.measurements, name, [](const auto& measured) {
    return measured.configuration.name();
  });
  return found == result.measurements.end() ? nullptr : &*found;
}

std::optional<std::string> baseline_mapping(const BenchResult& result) {
  const std::string all_cpu(stages_of(result), 'c');
  const BenchMeasurement* cpu = find_measurement(result, all_cpu + "/mg");
  if (!cpu) return std::nullopt;
  std::string mapping = all_cpu;
  for (std::size_t stage = 0; stage < mapping.size(); ++stage) {
    const bool possible = std::ranges::any_of(result.measurements, [&](const auto& measured) {
      return measured.configuration.mapping[stage] == 'g';
    });
    if (!possible) continue;
    std::string single = all_cpu;
    single[stage] = 'g';
    const BenchMeasurement* device = find_measurement(result, single + "/cg1");
    if (!device || device->stage_device_s.size() <= stage || cpu->stage_cpu_s.size() <= stage ||
        device->stage_device_s[stage] <= 0 || cpu->stage_cpu_s[stage] <= 0) {
      return std::nullopt;
    }
    if (device->stage_device_s[stage] < cpu->stage_cpu_s[stage]) mapping[stage] = 'g';
  }
  return mapping;
}

Json to_json(const BenchResult& result) {
  Json configurations = Json::array();
  for (const BenchMeasurement& measured : result.measurements) {
    const BenchConfiguration& configuration = measured.configuration;
    Json& json = configurations.emplace_back(
        Json{{"name", configuration.name()},
             {"mapping", configuration.mapping},
             {"granularity", configuration.granularity()},
             {"threads", optional(configuration.threads)},
             {"lanes", configuration.on_device() ? Json(configuration.lanes) : Json(nullptr)},
             {"frames_at_once",
              configuration.threads ? Json(nullptr) : Json(configuration.frames_at_once)},
             {"split", optional(configuration.split)},
             {"tasks", configuration.on_device() ? Json(configuration.tasks) : Json(nullptr)}});
    add_measured(json, measured);
    add_expected(json, "predicted", measured.predicted);
  }
  const std::string all_cpu(stages_of(result), 'c'), all_device(stages_of(result), 'g');
  const BenchMeasurement* best = best_of(result);
  const BenchOrigin& origin = result.origin;
  return {{"schema", kBenchSchema},
          {"version", origin.version},
          {"date", origin.date},
          {"host", origin.host},
          {"processor", optional(origin.processor)},
          {"input", optional(origin.input)},
          {"app", result.application},
          {"width", result.width},
          {"height", result.height},
          {"frames", result.frames},
          {"cores", result.cores},
          {"opencl_device", optional(result.opencl_device)},
          {"energy_source", optional(result.energy_source)},
          {"metric", result.metric},
          {"target_latency_ms", optional(result.target_latency_ms)},
          {"configurations", std::move(configurations)},
          {"homogeneous",
           {{"cpu_mg_fps", fps_of(result, all_cpu + "/mg")},
            {"cpu_cg_fps", fps_of(result, all_cpu + "/cg" + std::to_string(result.cores))},
            {"device_fps", fps_of(result, all_device + "/cg1")}}},
          {"baseline", result.baseline ? summary(*result.baseline) : Json(nullptr)},
          {"chosen", chosen(result)},
          {"best", best ? summary(*best) : Json(nullptr)},
          {"training", training(result)}};
}

std::string to_table(const BenchResult& result) {
  const std::vector<Column> columns = columns_of(result);
  std::string groups = formatted("%-*s", kNameWidth, ""),
              heads = formatted("%-*s", kNameWidth, "configuration");
  for (const Column& column : columns) {
    groups += formatted("%*s", kColumnWidth, column.group);
    heads += formatted("%*s", kColumnWidth, column.head);
  }
  groups.erase(groups.find_last_not_of(' ') + 1);
  std::string table = groups + "\n" + heads + "   of best\n";
  const BenchMeasurement* best = best_of(result);
  for (const BenchMeasurement& measured : result.measurements) {
    if (measured.rounds_fps.empty()) continue;
    const std::string name = measured.configuration.name();
    table += formatted("%-*s", kNameWidth, name.c_str());
    for (const Column& column : columns) {
      const std::optional<double> value = column.value(measured);
      table +=
          formatted("%*s", kColumnWidth, value ? formatted(column.format, *value).c_str() : "-");
    }
    const double most = score(result, *best);
    table += most > 0 ? formatted("%9.0f%%", 100 * score(result, measured) / most)
                      : formatted("%10s", "-");
    if (&measured == best) table += "  <- best";
    if (result.training && name == result.training->chosen) table += "  <- chosen";
    table += '\n';
  }
  if (result.baseline) {
    table += "baseline: " + result.baseline->configuration.name() +
             formatted(" %.2f frames/s\n", result.baseline->median_fps());
  }
  return table;
}

}  // namespace tandem
