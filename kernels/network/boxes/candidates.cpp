// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/boxes/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace tandem::network {
namespace {

constexpr float kRounding = 0.01f;  // of probabilities

}  // namespace

OutputSides output_sides(std::span<const std::size_t> output) {
  std::string shape;
  for (const std::size_t side : output)
    shape += (shape.empty() ? "" : " x ") + std::to_string(side);
  while (output.size() > 2 && output.front() == 1) output = output.subspan(1);
  if (output.size() != 2 || output[0] > std::size_t{1} << 28 || output[1] > std::size_t{1} << 28)
    throw std::runtime_error("the network's output is " + shape +
                             ", but the decoder needs two sides: write another `decoder`");
  return {output[0], output[1]};
}

ScoreScale::ScoreScale(ModelInfo::Scores scores) : sigmoid_(scores == ModelInfo::Scores::sigmoid) {
  if (scores == ModelInfo::Scores::softmax)
    throw std::runtime_error(
        "the decoder has no `scores` of softmax: write probabilities or sigmoid");
}

float ScoreScale::value_at(float probability) const {
  if (!sigmoid_) return probability;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  return std::log(probability / (1 - probability));
}

float ScoreScale::probability_of(float value) const {
  if (sigmoid_) return 1 / (1 + std::exp(-value));
  if (value > 1 + kRounding && std::isfinite(value)) {
    throw std::runtime_error(
        "the network's output has a score of " + std::to_string(value) +
        ", which is not a probability: write sigmoid or softmax into `scores` of "
        "the model information");
  }
  return value;
}

void ScoreRange::add(std::span<const float> scores) {
  for (const float score : scores) {
    least = std::min(least, score);
    most = std::max(most, score);
  }
}

std::string scores_advice(const ModelInfo& info, const ScoreRange& range) {
  if (info.scores == ModelInfo::Scores::probabilities) {
    if (range.least >= -kRounding) return {};  // decode() refuses those above 1
    const bool has_softmax =
        info.decoder == ModelInfo::Decoder::ssd || info.decoder == ModelInfo::Decoder::classes;
    return "The network's scores are logits, because some are below 0: write scores=sigmoid" +
           std::string(has_softmax ? " or scores=softmax" : "");
  }
  const bool may_be = range.least >= -kRounding && range.most <= 1 + kRounding;
  // A frame has few values of classes, which may be logits that happen to lie there.
  if (!may_be || range.least > range.most || info.decoder == ModelInfo::Decoder::classes) return {};
  return "The network's scores seem to be probabilities, because all lie between 0 and 1: write "
         "scores=probabilities";
}

void keep_best_of_places(std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::tie(a.place, b.probability, a.label) < std::tie(b.place, a.probability, b.label);
  });
  const auto same_place = [](const Candidate& a, const Candidate& b) { return a.place == b.place; };
  candidates.erase(std::unique(candidates.begin(), candidates.end(), same_place), candidates.end());
}

void keep_strongest(std::vector<Candidate>& candidates) {
  if (candidates.size() <= kMostCandidates) return;
  const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(kMostCandidates);
  std::nth_element(candidates.begin(), end, candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return std::tie(b.probability, a.place, a.label) <
                            std::tie(a.probability, b.place, b.label);
                   });
  candidates.erase(end, candidates.end());
}

bool is_box(const Detection& d) {
  return std::isfinite(d.x) && std::isfinite(d.y) && std::isfinite(d.width) &&
         std::isfinite(d.height) && d.width > 0 && d.height > 0;
}

void add_centred(float center_x, float center_y, float width, float height,
                 const Candidate& candidate, std::vector<Detection>& found) {
  const Detection detection{center_x - width / 2,  center_y - height / 2, width, height,
                            candidate.probability, candidate.label};
  if (is_box(detection)) found.push_back(detection);
}

void check_labels(const ModelInfo& info, std::size_t classes) {
  if (info.labels.size() == classes) return;
  throw std::runtime_error("the network's output has " + std::to_string(classes) +
                           " classes, but " + std::to_string(info.labels.size()) +
                           " are named: write one label a class into `labels` or `labels-file`, or "
                           "another `decoder`");
}

std::vector<GridPlace> grid_places(const ModelInfo& info, const DecoderRequest& request,
                                   std::size_t of_output) {
  const auto cells = [](int pixels, int stride) { return (pixels + stride - 1) / stride; };
  std::size_t count = 0;
  for (const int stride : info.strides)
    count += static_cast<std::size_t>(cells(request.input_width, stride)) *
             static_cast<std::size_t>(cells(request.input_height, stride));
  if (count != of_output)
    throw std::runtime_error("the network's output has " + std::to_string(of_output) +
                             " places, but the strides give " + std::to_string(count) +
                             ": write the strides of its grids into `strides`");
  std::vector<GridPlace> places;
  places.reserve(count);
  for (const int stride : info.strides)
    for (int y = 0; y < cells(request.input_height, stride); ++y)
      for (int x = 0; x < cells(request.input_width, stride); ++x)
        places.push_back(
            {static_cast<float>(x), static_cast<float>(y), static_cast<float>(stride)});
  return places;
}

std::unique_ptr<BoxDecoder> make_box_decoder(const ModelInfo& info, const DecoderRequest& request) {
  switch (info.decoder) {
    case ModelInfo::Decoder::nanodet:
      return make_nanodet_decoder(info, request);
    case ModelInfo::Decoder::ssd:
      return make_ssd_decoder(info, request);
    case ModelInfo::Decoder::yolov5:
    case ModelInfo::Decoder::yolox:
      return make_yolov5_decoder(info, request);
    case ModelInfo::Decoder::yolov8:
      return make_yolov8_decoder(info, request);
    case ModelInfo::Decoder::classes:
    case ModelInfo::Decoder::none:
      break;
  }
  throw std::runtime_error(
      "`decoder` decodes no boxes: write nanodet, ssd, yolov5, yolov8 or yolox into the model "
      "information, or leave out dnnboxes");
}

FrameClass best_class(std::span<const float> output, ModelInfo::Scores scores) {
  FrameClass best;
  float value = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (!(output[i] > value)) continue;
    value = output[i];
    best.label = static_cast<int>(i);
  }
  if (best.label < 0) return best;
  if (scores != ModelInfo::Scores::softmax) {
    best.probability = ScoreScale(scores).probability_of(value);
    return best;
  }
  double sum = 0;
  for (const float other : output)
    if (!std::isnan(other)) sum += std::exp(static_cast<double>(other) - value);
  best.probability = static_cast<float>(1 / sum);
  return best;
}

}  // namespace tandem::network
