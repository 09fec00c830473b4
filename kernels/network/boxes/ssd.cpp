// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "kernels/network/boxes/candidates.h"

namespace tandem::network {
namespace {

constexpr std::size_t kCodes = 4;
constexpr std::size_t kMostAnchors = 1 << 20;

struct Anchor {
  float x, y, width, height;  // centre and size, of the input's sides
};

std::vector<Anchor> anchors_of(const SsdAnchors& ssd) {
  std::vector<Anchor> anchors;
  const std::size_t grids = ssd.grids.size();
  const auto scale_of = [&](std::size_t grid) {
    if (grid == grids) return 1.0f;
    const float part = grids == 1 ? 0 : static_cast<float>(grid) / static_cast<float>(grids - 1);
    return ssd.least_scale + (ssd.most_scale - ssd.least_scale) * part;
  };
  for (std::size_t grid = 0; grid < grids; ++grid) {
    std::vector<Anchor> shapes;
    const auto add = [&](float scale, float ratio) {
      shapes.push_back({0, 0, scale * std::sqrt(ratio), scale / std::sqrt(ratio)});
    };
    const float scale = scale_of(grid);
    if (grid == 0) {
      add(scale / 2, 1);
      add(scale, 2);
      add(scale, 0.5f);
    } else {
      for (const float ratio : ssd.ratios) add(scale, ratio);
      add(std::sqrt(scale * scale_of(grid + 1)), 1);
    }
    const int side = ssd.grids[grid];
    const auto center = [&](int place) {
      return (static_cast<float>(place) + 0.5f) / static_cast<float>(side);
    };
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        for (const Anchor& shape : shapes)
          anchors.push_back({center(x), center(y), shape.width, shape.height});
    if (anchors.size() > kMostAnchors)
      throw std::runtime_error("`anchor-grids` give more than " + std::to_string(kMostAnchors) +
                               " anchors: write fewer or smaller ones");
  }
  return anchors;
}

class SsdDecoder final : public BoxDecoder {
 public:
  SsdDecoder(const ModelInfo& info, const DecoderRequest& request)
      : softmax_(info.scores == ModelInfo::Scores::softmax),
        scale_(softmax_ ? ModelInfo::Scores::sigmoid : info.scores),
        center_scale_(info.anchors.center_scale),
        size_scale_(info.anchors.size_scale),
        width_(static_cast<float>(request.input_width)),
        height_(static_cast<float>(request.input_height)),
        wanted_(request.wanted),
        anchors_(anchors_of(info.anchors)) {
    const OutputSides sides = output_sides(request.output);
    if (sides.columns < kCodes + 2)
      throw std::runtime_error("the network's output has " + std::to_string(sides.columns) +
                               " values an anchor, but the decoder ssd needs 4 codes, the "
                               "background and classes: write another `decoder`");
    classes_ = static_cast<int>(sides.columns - kCodes - 1);
    check_labels(info, static_cast<std::size_t>(classes_));
    if (anchors_.size() != sides.rows)
      throw std::runtime_error("the network's output has " + std::to_string(sides.rows) +
                               " anchors, but the keys give " + std::to_string(anchors_.size()) +
                               ": write its `anchor-grids` and `anchor-ratios`");
  }

  void decode(const float* output, float threshold, std::vector<Detection>& found) const override {
    thread_local std::vector<Candidate> candidates;
    candidates.clear();
    found.clear();
    const float least = scale_.value_at(threshold);
    for (std::size_t a = 0; a < anchors_.size(); ++a) {
      const float* const background = row(output, a) + kCodes;
      const float* const scores = background + 1;
      // Beside the background alone a class has at least the probability that it has beside all.
      const float least_here = softmax_ ? *background + least : least;
      for_each_from(scores, classes_, least_here, [&](int label) {
        if (!wanted_.empty() && !wanted_[static_cast<std::size_t>(label)]) return;
        const float probability =
            softmax_ ? softmax_of(background, scores[label]) : scale_.probability_of(scores[label]);
        if (probability >= threshold)
          candidates.push_back({static_cast<int>(a), label, probability});
      });
    }
    keep_strongest(candidates);
    for (const Candidate& candidate : candidates) {
      const auto a = static_cast<std::size_t>(candidate.place);
      const float* const codes = row(output, a);
      const Anchor& anchor = anchors_[a];
      add_centred((codes[1] / center_scale_ * anchor.width + anchor.x) * width_,
                  (codes[0] / center_scale_ * anchor.height + anchor.y) * height_,
                  std::exp(codes[3] / size_scale_) * anchor.width * width_,
                  std::exp(codes[2] / size_scale_) * anchor.height * height_, candidate, found);
    }
  }

  ScoreRange score_range(const float* output) const override {
    ScoreRange range;
    for (std::size_t a = 0; a < anchors_.size(); ++a)
      range.add({row(output, a) + kCodes + 1, static_cast<std::size_t>(classes_)});
    return range;
  }

 private:
  const float* row(const float* output, std::size_t anchor) const {
    return output + anchor * (kCodes + 1 + static_cast<std::size_t>(classes_));
  }

  float softmax_of(const float* logits, float logit) const {
    float sum = 0;
    for (int i = 0; i <= classes_; ++i) sum += std::exp(logits[i] - logit);
    return 1 / sum;
  }

  const bool softmax_;
  const ScoreScale scale_;
  const float center_scale_, size_scale_;
  const float width_, height_;  // of the network's input, pixels
  const std::vector<bool> wanted_;
  const std::vector<Anchor> anchors_;
  int classes_ = 0;
};

}  // namespace

std::unique_ptr<BoxDecoder> make_ssd_decoder(const ModelInfo& info, const DecoderRequest& request) {
  return std::make_unique<SsdDecoder>(info, request);
}

}  // namespace tandem::network
