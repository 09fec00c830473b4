// SPDX-License-Identifier: LGPL-2.1-or-later
// NanoDet. Distances from a place to the sides of its box are expectations of distributions.
// Source: Li et al., "Generalized focal loss", 2020, equation 6.
#include <cmath>

#include "kernels/network/boxes/candidates.h"

namespace tandem::network {
namespace {

class NanodetDecoder final : public BoxDecoder {
 public:
  NanodetDecoder(const ModelInfo& info, const DecoderRequest& request)
      : scale_(info.scores), bins_(info.bins), wanted_(request.wanted) {
    const OutputSides sides = output_sides(request.output);
    const std::size_t distances = 4 * static_cast<std::size_t>(bins_);
    if (sides.rows <= distances)
      throw std::runtime_error("the network's output has " + std::to_string(sides.rows) +
                               " values a place, but 4 x " + std::to_string(bins_) +
                               " are distances: write the logits of a distance into `bins`");
    classes_ = static_cast<int>(sides.rows - distances);
    check_labels(info, static_cast<std::size_t>(classes_));
    places_ = grid_places(info, request, sides.columns);
  }

  void decode(const float* output, float threshold, std::vector<Detection>& found) const override {
    thread_local std::vector<Candidate> candidates;
    candidates.clear();
    found.clear();
    const float least = scale_.value_at(threshold);
    const int places = static_cast<int>(places_.size());
    for (int label = 0; label < classes_; ++label) {
      if (!wanted_.empty() && !wanted_[static_cast<std::size_t>(label)]) continue;
      const float* values = output + static_cast<std::size_t>(label) * places_.size();
      for_each_from(values, places, least, [&](int place) {
        candidates.push_back({place, label, scale_.probability_of(values[place])});
      });
    }
    keep_strongest(candidates);
    const float* const logits = output + static_cast<std::size_t>(classes_) * places_.size();
    for (const Candidate& candidate : candidates) {
      const GridPlace& place = places_[static_cast<std::size_t>(candidate.place)];
      float sides[4];
      for (int side = 0; side < 4; ++side)
        sides[side] = place.stride * expectation(logits + candidate.place, side);
      const float x = (place.column + 0.5f) * place.stride, y = (place.row + 0.5f) * place.stride;
      const Detection detection{x - sides[0],        y - sides[1],          sides[0] + sides[2],
                                sides[1] + sides[3], candidate.probability, candidate.label};
      if (is_box(detection)) found.push_back(detection);
    }
  }

  ScoreRange score_range(const float* output) const override {
    ScoreRange range;
    range.add({output, static_cast<std::size_t>(classes_) * places_.size()});
    return range;
  }

 private:
  // Expectation of the distribution over the bins of one side.
  float expectation(const float* logits, int side) const {
    const auto at = [&](int bin) {
      return logits[static_cast<std::size_t>(side * bins_ + bin) * places_.size()];
    };
    float most = at(0);
    for (int bin = 1; bin < bins_; ++bin) most = std::max(most, at(bin));
    float sum = 0, weighted = 0;
    for (int bin = 0; bin < bins_; ++bin) {
      const float weight = std::exp(at(bin) - most);
      sum += weight;
      weighted += weight * static_cast<float>(bin);
    }
    return weighted / sum;
  }

  const ScoreScale scale_;
  const int bins_;
  const std::vector<bool> wanted_;
  int classes_ = 0;
  std::vector<GridPlace> places_;
};

}  // namespace

std::unique_ptr<BoxDecoder> make_nanodet_decoder(const ModelInfo& info,
                                                 const DecoderRequest& request) {
  return std::make_unique<NanodetDecoder>(info, request);
}

}  // namespace tandem::network
