// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/stream_model.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

namespace tandem {
namespace {

std::optional<double> find(const StreamFeatures& features, const char* name) {
  const auto found = features.find(name);
  return found == features.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

StreamFeatures combined_features(const StreamFeatures& code, const StreamFeatures& run) {
  StreamFeatures combined;
  const auto add = [&](const StreamFeatures& from, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto value = find(from, name)) combined[name] = *value;
  };
  const auto log_of = [](double value) { return std::log2(1 + std::max(0.0, value)); };
  const auto add_log = [&](const StreamFeatures& from, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (const auto value = find(from, name))
        combined[std::string("log-") + name] = log_of(*value);
  };
  const auto add_share = [&](const char* name, std::optional<double> part,
                             std::optional<double> all) {
    if (part && all && *all > 0) combined[name] = *part / *all;
  };
  add_log(code, {"loop-count", "instructions", "most-tasks", "least-task"});
  add(code, {"loop-nest", "access-1", "access-2"});
  add_log(run, {"upload-bytes", "download-bytes", "launches", "copies", "kernel-ns",
                "cpu-instructions"});
  add(run, {"branch-miss", "l1-miss"});
  const auto upload = find(run, "upload-ns"), kernel = find(run, "kernel-ns"),
             download = find(run, "download-ns");
  if (upload && kernel && download) {
    const double all = *upload + *kernel + *download;
    combined["log-total-ns"] = log_of(all);
    add_share("upload-share", upload, all);
    add_share("download-share", download, all);
    add_share("kernel-share", kernel, all);
  }
  const auto launches = find(run, "launches");
  if (kernel && launches && *launches > 0) combined["log-launch-ns"] = log_of(*kernel / *launches);
  add_share("redundant-share", find(code, "redundant-transfer"), find(code, "host-to-device"));
  add_share("intensity", find(code, "instructions"), find(code, "transfer"));
  if (const auto found = combined.find("intensity"); found != combined.end())
    found->second = log_of(found->second);
  return combined;
}

void append_candidate(std::vector<double>& inputs, const StreamCandidate& candidate) {
  inputs.push_back(std::log2(candidate.partitions));
  inputs.push_back(std::log2(candidate.tasks));
  inputs.push_back(candidate.partitions > 1 ? 1 : 0);
}

double output_of(const StreamModel::Network& network, std::vector<double> values) {
  std::vector<double> next;
  for (std::size_t k = 0; k < network.size(); ++k) {
    const StreamModel::Layer& layer = network[k];
    next.assign(layer.biases.begin(), layer.biases.end());
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      for (std::size_t i = 0; i < layer.inputs; ++i)
        next[o] += layer.weights[o * layer.inputs + i] * values[i];
      if (k + 1 < network.size()) next[o] = std::tanh(next[o]);
    }
    values.swap(next);
  }
  return values[0];
}

std::vector<double> StreamModel::components_of(const StreamFeatures& combined) const {
  std::vector<double> scores;
  for (const Feature& feature : features) {
    const auto found = combined.find(feature.name);
    const double value = found == combined.end() || !std::isfinite(found->second)
                             ? feature.mean
                             : std::clamp(found->second, feature.least, feature.most);
    scores.push_back((value - feature.mean) / feature.deviation);
  }
  std::vector<double> result;
  for (std::size_t k = 0; k < components.size(); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) sum += components[k][i] * scores[i];
    result.push_back(sum / scales[k]);
  }
  return result;
}

double StreamModel::speed_up(const std::vector<double>& of_stage,
                             const StreamCandidate& candidate) const {
  std::vector<double> inputs = of_stage;
  append_candidate(inputs, candidate);
  double sum = 0;
  for (const Network& network : networks) sum += output_of(network, inputs);
  return std::exp(mean + deviation * sum / static_cast<double>(networks.size()));
}

std::vector<StreamCandidate> StreamModel::rank(
    const StreamFeatures& combined, const std::vector<StreamCandidate>& candidates) const {
  const std::vector<double> of_stage = components_of(combined);
  std::vector<std::pair<double, StreamCandidate>> rated;
  for (const StreamCandidate& candidate : candidates)
    rated.emplace_back(speed_up(of_stage, candidate), candidate);
  std::ranges::stable_sort(rated, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<StreamCandidate> ranked;
  for (const auto& [value, candidate] : rated) ranked.push_back(candidate);
  return ranked;
}

}  // namespace tandem
