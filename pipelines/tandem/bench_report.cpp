// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/bench_report.h"

#include <algorithm>
#include <cstdio>

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

Json fps_of(const BenchResult& result, const std::string& name) {
  const BenchMeasurement* found = find_measurement(result, name);
  return found ? Json(found->median_fps()) : Json(nullptr);
}

const BenchMeasurement* best_of(const BenchResult& result) {
  const auto best = std::max_element(
      result.measurements.begin(), result.measurements.end(),
      [](const auto& a, const auto& b) { return a.median_fps() < b.median_fps(); });
  return best == result.measurements.end() ? nullptr : &*best;
}

// The earlier method never computes a device stage on the CPU. tandembin does so whenever the
// device is busy, so that method's rate is known only when all stages are on one side.
Json baseline(const BenchResult& result) {
  const std::optional<std::string> mapping = baseline_mapping(result);
  if (!mapping) return nullptr;
  Json fps = nullptr;
  if (mapping->find('g') == std::string::npos) fps = fps_of(result, *mapping + "/mg");
  if (mapping->find('c') == std::string::npos) fps = fps_of(result, *mapping + "/cg1");
  return {{"name", *mapping + "/mg"}, {"throughput_fps", fps}};
}

std::size_t stages_of(const BenchResult& result) {
  return result.measurements.empty() ? 0 : result.measurements[0].configuration.mapping.size();
}

}  // namespace

std::string BenchConfiguration::name() const {
  return mapping + "/" + granularity() + (threads ? std::to_string(*threads) : "");
}

std::vector<BenchConfiguration> bench_configurations(int stages, int cores, bool device) {
  std::vector<BenchConfiguration> all;
  const unsigned mappings = device ? 1u << stages : 1u;
  for (unsigned bits = 0; bits < mappings; ++bits) {
    std::string mapping;
    for (int stage = 0; stage < stages; ++stage) mapping += (bits >> stage & 1u) ? 'g' : 'c';
    for (int threads = 1; threads <= cores + 1; ++threads) all.push_back({mapping, threads});
    all.push_back({mapping, std::nullopt});
  }
  return all;
}

double BenchMeasurement::median_fps() const {
  if (rounds_fps.empty()) return 0;
  std::vector<double> sorted = rounds_fps;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const BenchMeasurement* find_measurement(const BenchResult& result, const std::string& name) {
  const auto found =
      std::find_if(result.measurements.begin(), result.measurements.end(),
                   [&](const auto& measured) { return measured.configuration.name() == name; });
  return found == result.measurements.end() ? nullptr : &*found;
}

std::optional<std::string> baseline_mapping(const BenchResult& result) {
  const std::string all_cpu(stages_of(result), 'c');
  const BenchMeasurement* cpu = find_measurement(result, all_cpu + "/mg");
  if (!cpu) return std::nullopt;
  std::string mapping = all_cpu;
  for (std::size_t stage = 0; stage < mapping.size(); ++stage) {
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
    configurations.push_back(
        {{"name", configuration.name()},
         {"mapping", configuration.mapping},
         {"granularity", configuration.granularity()},
         {"threads", configuration.threads ? Json(*configuration.threads) : Json(nullptr)},
         {"throughput_fps", measured.median_fps()},
         {"energy_per_frame_j", nullptr},
         {"predicted_fps", nullptr},
         {"predicted_energy_j", nullptr}});
  }
  const std::string all_cpu(stages_of(result), 'c'), all_device(stages_of(result), 'g');
  Json best = nullptr;
  if (const BenchMeasurement* found = best_of(result)) {
    best = {{"name", found->configuration.name()}, {"throughput_fps", found->median_fps()}};
  }
  return {{"app", result.application},
          {"width", result.width},
          {"height", result.height},
          {"frames", result.frames},
          {"cores", result.cores},
          {"opencl_device", result.opencl_device ? Json(*result.opencl_device) : Json(nullptr)},
          {"energy_source", nullptr},
          {"configurations", std::move(configurations)},
          {"homogeneous",
           {{"cpu_mg_fps", fps_of(result, all_cpu + "/mg")},
            {"cpu_cg_fps", fps_of(result, all_cpu + "/cg" + std::to_string(result.cores))},
            {"device_fps", fps_of(result, all_device + "/cg1")}}},
          {"baseline", baseline(result)},
          {"chosen", nullptr},
          {"best", std::move(best)},
          {"training", nullptr}};
}

std::string to_table(const BenchResult& result) {
  const BenchMeasurement* best = best_of(result);
  std::string table = "configuration    frames/s     least      most   of best\n";
  for (const BenchMeasurement& measured : result.measurements) {
    if (measured.rounds_fps.empty()) continue;
    const auto [least, most] =
        std::minmax_element(measured.rounds_fps.begin(), measured.rounds_fps.end());
    char line[128];
    std::snprintf(line, sizeof line, "%-14s %10.2f %9.2f %9.2f %8.0f%%%s\n",
                  measured.configuration.name().c_str(), measured.median_fps(), *least, *most,
                  100 * measured.median_fps() / best->median_fps(),
                  &measured == best ? "  <- best" : "");
    table += line;
  }
  return table;
}

}  // namespace tandem
