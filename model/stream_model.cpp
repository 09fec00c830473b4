// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/stream_model.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tandem {
namespace {

std::optional<double> find(const StreamFeatures& features, const char* name) {
  const auto found = features.find(name);
  return found == features.end() ? std::nullopt : std::optional(found->second);
}

class Combiner {
 public:
  Combiner(const StreamFeatures& code, const StreamFeatures& run) : code_(code), run_(run) {}

  StreamFeatures all() {
    for (const char* name : {"loop-count", "instructions", "most-tasks", "least-task"})
      add_log(name, find(code_, name));
    for (const char* name : {"loop-nest", "access-1", "access-2"})
      if (const auto value = find(code_, name)) combined_[name] = *value;
    for (const char* name :
         {"upload-bytes", "download-bytes", "launches", "copies", "kernel-ns", "cpu-instructions"})
      add_log(name, find(run_, name));
    for (const char* name : {"branch-miss", "l1-miss"})
      if (const auto value = find(run_, name)) combined_[name] = *value;
    add_shares();
    return std::move(combined_);
  }

 private:
  void add_log(const char* name, const std::optional<double>& value) {
    if (value) combined_[std::string("log-") + name] = std::log2(1 + std::max(0.0, *value));
  }
  void add_share(const char* name, std::optional<double> part, std::optional<double> all) {
    if (part && all && *all > 0) combined_[name] = *part / *all;
  }

  void add_shares() {
    const auto upload = find(run_, "upload-ns"), kernel = find(run_, "kernel-ns"),
               download = find(run_, "download-ns");
    if (upload && kernel && download) {
      const double all = *upload + *kernel + *download;
      add_log("total-ns", all);
      add_share("upload-share", upload, all);
      add_share("download-share", download, all);
      add_share("kernel-share", kernel, all);
    }
    const auto launches = find(run_, "launches");
    if (kernel && launches && *launches > 0) add_log("launch-ns", *kernel / *launches);
    add_share("redundant-share", find(code_, "redundant-transfer"), find(code_, "host-to-device"));
    add_share("intensity", find(code_, "instructions"), find(code_, "transfer"));
    if (const auto found = combined_.find("intensity"); found != combined_.end())
      found->second = std::log2(1 + std::max(0.0, found->second));
  }

  const StreamFeatures &code_, &run_;
  StreamFeatures combined_;
};

}  // namespace

StreamFeatures combined_features(const StreamFeatures& code, const StreamFeatures& run) {
  return Combiner(code, run).all();
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
