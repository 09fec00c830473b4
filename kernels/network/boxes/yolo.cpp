// SPDX-License-Identifier: LGPL-2.1-or-later
// YOLO networks. Files of Ultralytics contain the decoding of boxes: centre and size are pixels of
// the input. Those of YOLOX have codes: steps from a place of a grid, and logarithms of sizes, both
// in strides. Source: Ge et al., "YOLOX: Exceeding YOLO series in 2021".
#include <cmath>

#include "kernels/network/boxes/candidates.h"

namespace tandem::network {
namespace {

constexpr std::size_t kBox = 4;  // values

class YoloV5Decoder final : public BoxDecoder {
 public:
  YoloV5Decoder(const ModelInfo& info, const DecoderRequest& request)
      : scale_(info.scores), wanted_(request.wanted) {
    const OutputSides sides = output_sides(request.output);
    if (sides.columns <= kBox + 1)
      throw std::runtime_error("the network's output has " + std::to_string(sides.columns) +
                               " values a place, but the decoders yolov5 and yolox need a box, "
                               "objectness and classes: write another `decoder`");
    places_ = static_cast<int>(sides.rows);
    if (info.decoder == ModelInfo::Decoder::yolox) grid_ = grid_places(info, request, sides.rows);
    classes_ = static_cast<int>(sides.columns - kBox - 1);
    check_labels(info, static_cast<std::size_t>(classes_));
  }

  void decode(const float* output, float threshold, std::vector<Detection>& found) const override {
    thread_local std::vector<Candidate> candidates;
    candidates.clear();
    found.clear();
    const float least = scale_.value_at(threshold);
    for (int place = 0; place < places_; ++place) {
      const float* const objectness = row(output, place) + kBox;
      if (!(*objectness >= least)) continue;
      const float object = scale_.probability_of(*objectness);
      for_each_from(objectness + 1, classes_, least, [&](int label) {
        if (!wanted_.empty() && !wanted_[static_cast<std::size_t>(label)]) return;
        const float probability = object * scale_.probability_of(objectness[1 + label]);
        if (probability >= threshold) candidates.push_back({place, label, probability});
      });
    }
    keep_best_of_places(candidates);
    keep_strongest(candidates);
    for (const Candidate& candidate : candidates) {
      const float* const box = row(output, candidate.place);
      if (grid_.empty()) {
        add_centred(box[0], box[1], box[2], box[3], candidate, found);
      } else {
        const GridPlace& place = grid_[static_cast<std::size_t>(candidate.place)];
        add_centred((place.column + box[0]) * place.stride, (place.row + box[1]) * place.stride,
                    std::exp(box[2]) * place.stride, std::exp(box[3]) * place.stride, candidate,
                    found);
      }
    }
  }

  ScoreRange score_range(const float* output) const override {
    ScoreRange range;
    for (int place = 0; place < places_; ++place)
      range.add({row(output, place) + kBox, 1 + static_cast<std::size_t>(classes_)});
    return range;
  }

 private:
  const float* row(const float* output, int place) const {
    return output +
           static_cast<std::size_t>(place) * (kBox + 1 + static_cast<std::size_t>(classes_));
  }

  const ScoreScale scale_;
  const std::vector<bool> wanted_;
  std::vector<GridPlace> grid_;  // of YOLOX
  int places_ = 0, classes_ = 0;
};

class YoloV8Decoder final : public BoxDecoder {
 public:
  YoloV8Decoder(const ModelInfo& info, const DecoderRequest& request)
      : scale_(info.scores), wanted_(request.wanted) {
    const OutputSides sides = output_sides(request.output);
    if (sides.rows <= kBox)
      throw std::runtime_error("the network's output has " + std::to_string(sides.rows) +
                               " values a place, but the decoder yolov8 needs a box and classes: "
                               "write another `decoder`");
    places_ = static_cast<int>(sides.columns);
    classes_ = static_cast<int>(sides.rows - kBox);
    check_labels(info, static_cast<std::size_t>(classes_));
  }

  void decode(const float* output, float threshold, std::vector<Detection>& found) const override {
    thread_local std::vector<Candidate> candidates;
    candidates.clear();
    found.clear();
    const float least = scale_.value_at(threshold);
    for (int label = 0; label < classes_; ++label) {
      if (!wanted_.empty() && !wanted_[static_cast<std::size_t>(label)]) continue;
      const float* const values = plane(output, kBox + static_cast<std::size_t>(label));
      for_each_from(values, places_, least, [&](int place) {
        candidates.push_back({place, label, scale_.probability_of(values[place])});
      });
    }
    keep_best_of_places(candidates);
    keep_strongest(candidates);
    for (const Candidate& candidate : candidates) {
      const auto at = [&](std::size_t value) { return plane(output, value)[candidate.place]; };
      add_centred(at(0), at(1), at(2), at(3), candidate, found);
    }
  }

  ScoreRange score_range(const float* output) const override {
    ScoreRange range;
    range.add({plane(output, kBox), static_cast<std::size_t>(classes_ * places_)});
    return range;
  }

 private:
  const float* plane(const float* output, std::size_t value) const {
    return output + value * static_cast<std::size_t>(places_);
  }

  const ScoreScale scale_;
  const std::vector<bool> wanted_;
  int places_ = 0, classes_ = 0;
};

}  // namespace

std::unique_ptr<BoxDecoder> make_yolov5_decoder(const ModelInfo& info,
                                                const DecoderRequest& request) {
  return std::make_unique<YoloV5Decoder>(info, request);
}
std::unique_ptr<BoxDecoder> make_yolov8_decoder(const ModelInfo& info,
                                                const DecoderRequest& request) {
  return std::make_unique<YoloV8Decoder>(info, request);
}

}  // namespace tandem::network
