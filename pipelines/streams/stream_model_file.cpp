// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/stream_model_file.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "files/ascii.h"
#include "files/hash.h"
#include "files/json_object.h"
#include "files/json_text.h"

namespace tandem {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kKind = "stream model";
constexpr std::size_t kMostNumbers = 4096, kMostLists = 256;
constexpr NumberBounds kWide{.least = -1e12, .most = 1e12};

// As many digits as a network's answer needs.
double seven_digits(double value) { return with_digits(value, 7); }

OrderedJson numbers(const std::vector<double>& values) {
  OrderedJson list = OrderedJson::array();
  for (const double value : values) list.push_back(seven_digits(value));
  return list;
}

OrderedJson json_of(const StreamModelFile& file) {
  OrderedJson candidates = OrderedJson::array(), features = OrderedJson::array(),
              components = OrderedJson::array(), networks = OrderedJson::array();
  for (const StreamCandidate& c : file.candidates)
    candidates.push_back(OrderedJson::array({c.partitions, c.tasks}));
  for (const StreamModel::Feature& f : file.model.features)
    features.push_back({{"name", f.name},
                        {"mean", seven_digits(f.mean)},
                        {"deviation", seven_digits(f.deviation)},
                        {"least", seven_digits(f.least)},
                        {"most", seven_digits(f.most)}});
  for (const auto& component : file.model.components) components.push_back(numbers(component));
  for (const StreamModel::Network& network : file.model.networks) {
    OrderedJson layers = OrderedJson::array();
    for (const StreamModel::Layer& layer : network)
      layers.push_back({{"weights", numbers(layer.weights)}, {"biases", numbers(layer.biases)}});
    networks.push_back(std::move(layers));
  }
  OrderedJson json = json_of(file.origin, kKind, kModelSchema);
  json.update(OrderedJson{{"samples", file.samples},
                          {"candidates", std::move(candidates)},
                          {"mean", seven_digits(file.model.mean)},
                          {"deviation", seven_digits(file.model.deviation)},
                          {"features", std::move(features)},
                          {"components", std::move(components)},
                          {"scales", numbers(file.model.scales)},
                          {"networks", std::move(networks)}});
  return json;
}

std::string check_of(const OrderedJson& json) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(hash_of(json.dump())));
  return text;
}

std::vector<double> read_numbers(const nlohmann::json& list, const std::string& field,
                                 std::size_t wanted) {
  if (!list.is_array() || list.size() != wanted)
    fail_field(field, "is not a list of " + std::to_string(wanted) + " numbers");
  std::vector<double> values;
  for (const auto& value : list) {
    if (!value.is_number() || std::fabs(value.get<double>()) > kWide.most)
      fail_field(field, "has elements that are not numbers");
    values.push_back(value.get<double>());
  }
  return values;
}

StreamModel::Network read_network(const nlohmann::json& layers, const std::string& field,
                                  std::size_t inputs) {
  if (!layers.is_array() || layers.empty() || layers.size() > 16)
    fail_field(field, "is not a list of layers");
  StreamModel::Network network;
  for (const auto& json : layers) {
    if (!json.is_object() || !json.contains("biases") || !json.contains("weights") ||
        !json["biases"].is_array() || json["biases"].empty() ||
        json["biases"].size() > kMostNumbers)
      fail_field(field, "has a layer without weights or biases");
    StreamModel::Layer layer{.inputs = inputs, .outputs = json["biases"].size()};
    layer.biases = read_numbers(json["biases"], field, layer.outputs);
    layer.weights = read_numbers(json["weights"], field, inputs * layer.outputs);
    inputs = layer.outputs;
    network.push_back(std::move(layer));
  }
  if (inputs != 1) fail_field(field, "has not one output");
  return network;
}

void read_candidates(const JsonObject& root, StreamModelFile& file) {
  const auto& list = root.list("candidates", kMostNumbers);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string field = "candidates[" + std::to_string(i) + "]";
    const auto pair = read_numbers(list[i], field, 2);
    if (pair[0] < 1 || pair[1] < pair[0] || pair[1] > 65536)
      fail_field(field, "has fewer tasks than partitions");
    file.candidates.push_back({static_cast<int>(pair[0]), static_cast<int>(pair[1])});
  }
  if (file.candidates.empty()) fail_field("candidates", "is empty");
}

void read_features(const JsonObject& root, StreamModel& model) {
  const JsonObject wide = root.within(kWide);
  model.mean = wide.number("mean");
  model.deviation = wide.number("deviation");
  const auto& features = root.list("features", kMostLists);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const JsonObject json = wide.element("features", i);
    model.features.push_back({.name = json.text("name"),
                              .mean = json.number("mean"),
                              .deviation = json.number("deviation"),
                              .least = json.number("least"),
                              .most = json.number("most")});
    if (model.features.back().deviation <= 0)
      fail_field(json.path_of("deviation"), "is not above 0");
    if (model.features.back().least > model.features.back().most)
      fail_field(json.path_of("least"), "is above the most");
  }
  const auto& components = root.list("components", kMostLists);
  for (std::size_t i = 0; i < components.size(); ++i)
    model.components.push_back(read_numbers(components[i], "components[" + std::to_string(i) + "]",
                                            model.features.size()));
  model.scales = read_numbers(root.at("scales"), "scales", model.components.size());
  for (const double scale : model.scales)
    if (scale <= 0) fail_field("scales", "holds a number that is not above 0");
  const auto& networks = root.list("networks", kMostLists);
  for (std::size_t i = 0; i < networks.size(); ++i)
    model.networks.push_back(read_network(networks[i], "networks[" + std::to_string(i) + "]",
                                          model.components.size() + kCandidateInputs));
  if (model.networks.empty()) fail_field("networks", "is empty");
}

}  // namespace

OrderedJson json_of(const StreamOrigin& origin, const char* kind, int schema) {
  return {{"kind", kind},
          {"schema", schema},
          {"version", origin.version},
          {"date", origin.date},
          {"processor", origin.processor},
          {"device", origin.device},
          {"platform", origin.platform},
          {"driver", origin.driver},
          {"is_cpu", origin.is_cpu}};
}

StreamOrigin read_origin(const JsonObject& file, const char* kind, int schema) {
  if (file.text("kind") != kind) fail_field("kind", "is not '" + std::string(kind) + "'");
  if (file.number("schema") != schema) fail_field("schema", "is of another version of tandem");
  return {.version = file.text("version"),
          .date = file.text("date"),
          .processor = file.text("processor"),
          .device = file.text("device"),
          .platform = file.text("platform"),
          .driver = file.text("driver"),
          .is_cpu = file.flag("is_cpu")};
}

std::string write_stream_model(const StreamModelFile& file) {
  OrderedJson json = json_of(file);
  json["check"] = check_of(json);
  return json.dump() + "\n";
}

StreamModelFile read_stream_model(const std::string& text) {
  if (text.size() > kMostStreamModelBytes) throw std::runtime_error("is too long for a model");
  const nlohmann::json json = parse_json(text);
  const JsonObject root(json, "");
  StreamModelFile file{.origin = read_origin(root, kKind, kModelSchema),
                       .samples = root.count("samples")};
  read_candidates(root, file);
  read_features(root, file.model);
  if (root.text("check") != check_of(json_of(file)) || write_stream_model(file) != text)
    fail_field("check", "does not fit the rest: the file is damaged");
  return file;
}

}  // namespace tandem
