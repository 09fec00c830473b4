// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/samples.h"

#include <algorithm>
#include <set>

#include "files/ascii.h"
#include "files/json_object.h"
#include "files/json_text.h"

namespace tandem::streams {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostSamples = 100000, kMostTimings = 10000;
constexpr const char* kKind = "stream samples";

// As many digits as a timing has that are not noise.
double six_digits(double value) { return with_digits(value, 6); }

Json json_of(const FeatureValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = six_digits(value);
  return json;
}

Json json_of(const Sample& sample) {
  Json grid = Json::array();
  for (const Timing& t : sample.grid)
    grid.push_back(Json::array({t.partitions, t.tasks, six_digits(t.median_ns),
                                six_digits(t.mean_ns), six_digits(t.interval), t.runs}));
  Json json{{"program", sample.program},
            {"data", sample.data},
            {"code", json_of(sample.code)},
            {"run", json_of(sample.run)},
            {"grid", grid}};
  if (!sample.left_out.empty()) json["left_out"] = sample.left_out;
  return json;
}

FeatureValues read_features(const JsonObject& sample, const char* name) {
  FeatureValues values;
  const JsonObject object = sample.object(name);
  for (const auto& [key, value] : sample.at(name).items()) values[key] = object.number(key.c_str());
  return values;
}

Timing read_timing(const nlohmann::json& list, const std::string& field) {
  if (!list.is_array() || list.size() != 6) fail_field(field, "is not a list of six numbers");
  const auto at = [&](std::size_t i, double least, double most) {
    const double value = list[i].is_number() ? list[i].get<double>() : std::nan("");
    if (!(value >= least && value <= most))
      fail_field(field, "has an impossible number at index " + std::to_string(i));
    return value;
  };
  return {.partitions = static_cast<int>(at(0, 1, 1024)),
          .tasks = static_cast<int>(at(1, 1, 65536)),
          .median_ns = at(2, 1, 1e15),
          .mean_ns = at(3, 1, 1e15),
          .interval = at(4, 0, 1e6),
          .runs = static_cast<int>(at(5, 1, 1e9))};
}

Sample read_sample(const JsonObject& json) {
  Sample sample{.program = json.text("program"), .data = json.text("data")};
  const JsonObject wide = json.within({.least = -1e300, .most = 1e300});
  sample.code = read_features(wide, "code");
  sample.run = read_features(wide, "run");
  const auto& grid = json.list("grid", kMostTimings);
  std::set<std::pair<int, int>> seen;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const std::string field = json.path_of("grid[" + std::to_string(i) + "]");
    sample.grid.push_back(read_timing(grid[i], field));
    if (!seen.emplace(sample.grid.back().partitions, sample.grid.back().tasks).second)
      fail_field(field, "is listed twice");
  }
  sample.left_out = json.text_if_there("left_out").value_or("");
  return sample;
}

}  // namespace

const Timing* Sample::find(int partitions, int tasks) const {
  const auto found = std::ranges::find_if(
      grid, [&](const Timing& t) { return t.partitions == partitions && t.tasks == tasks; });
  return found == grid.end() ? nullptr : &*found;
}

double Sample::one_stream_ns() const {
  const Timing* const one = find(1, 1);
  return one ? one->median_ns : 0;
}

const Sample* SampleTable::find(const std::string& program, const std::string& data) const {
  const auto found = std::ranges::find_if(
      samples, [&](const Sample& s) { return s.program == program && s.data == data; });
  return found == samples.end() ? nullptr : &*found;
}

std::string write_samples(const SampleTable& table) {
  Json head = json_of(table.origin, kKind, kSamplesSchema);
  head.update(Json{{"host", table.host},
                   {"cores", table.cores},
                   {"own_cores", table.own_cores},
                   {"counters", table.counters}});
  std::string text = head.dump(1);
  text.erase(text.rfind('\n'));  // the closing brace
  text += ",\n \"samples\": [";
  for (std::size_t i = 0; i < table.samples.size(); ++i)
    text += (i > 0 ? ",\n  " : "\n  ") + json_of(table.samples[i]).dump();
  return text + "\n ]\n}\n";
}

SampleTable read_samples(const std::string& text) {
  const nlohmann::json json = parse_json(text);
  const JsonObject root(json, "");
  SampleTable table{.origin = read_origin(root, kKind, kSamplesSchema),
                    .host = root.text("host"),
                    .cores = root.count("cores"),
                    .own_cores = root.text("own_cores"),
                    .counters = root.text("counters")};
  const auto& samples = root.list("samples", kMostSamples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    table.samples.push_back(read_sample(root.element("samples", i)));
    const Sample& last = table.samples.back();
    if (table.find(last.program, last.data) != &last)
      fail_field("samples[" + std::to_string(i) + "]", "is listed twice");
  }
  return table;
}

}  // namespace tandem::streams
