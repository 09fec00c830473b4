// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "kernels/network/boxes/box_decoder.h"

/// Types and functions that decoders share.
namespace tandem::network {

/// Sides of the output without sides of 1 before them. Throws unless two are left.
struct OutputSides {
  std::size_t rows, columns;
};
OutputSides output_sides(std::span<const std::size_t> output);

/// A place of the grids that cover a network's input.
struct GridPlace {
  float column = 0, row = 0, stride = 0;  ///< of its grid; pixels between two places
};
/// Those of each of ModelInfo::strides, row by row. Throws unless they are as many as the output's.
std::vector<GridPlace> grid_places(const ModelInfo& info, const DecoderRequest& request,
                                   std::size_t of_output);

/// A score at a place of the output.
struct Candidate {
  int place = 0, label = 0;
  float probability = 0;
};

/// Between the values of the output and probabilities, value by value.
class ScoreScale {
 public:
  /// Throws where `scores` is softmax.
  explicit ScoreScale(ModelInfo::Scores scores);
  /// The least value that a probability takes.
  float value_at(float probability) const;
  /// Throws where a value that should be a probability is above 1.
  float probability_of(float value) const;

 private:
  const bool sigmoid_;
};

/// Calls found(i) for each of `count` adjacent values that is at least `least`. The first loop over
/// a block has no branch, so that compilers make vectors of it.
template <class Found>
void for_each_from(const float* values, int count, float least, const Found& found) {
  constexpr int kBlock = 64;
  for (int begin = 0; begin < count; begin += kBlock) {
    const int end = begin + kBlock < count ? begin + kBlock : count;
    if (end - begin == kBlock) {
      int any = 0;
      for (int i = 0; i < kBlock; ++i) any |= values[begin + i] >= least ? 1 : 0;
      if (any == 0) continue;
    }
    for (int i = begin; i < end; ++i)
      if (values[i] >= least) found(i);
  }
}

/// Keeps the best candidate of each place; of equal ones that with the lower class.
void keep_best_of_places(std::vector<Candidate>& candidates);
/// The kMostCandidates strongest.
void keep_strongest(std::vector<Candidate>& candidates);

/// Whether all numbers of the box are finite and its sides are positive.
bool is_box(const Detection& detection);
/// Appends the box if it is one.
void add_centred(float center_x, float center_y, float width, float height,
                 const Candidate& candidate, std::vector<Detection>& found);

/// A decoder of each family.
std::unique_ptr<BoxDecoder> make_nanodet_decoder(const ModelInfo&, const DecoderRequest&);
std::unique_ptr<BoxDecoder> make_ssd_decoder(const ModelInfo&, const DecoderRequest&);
/// Also of YOLOX, whose boxes are codes.
std::unique_ptr<BoxDecoder> make_yolov5_decoder(const ModelInfo&, const DecoderRequest&);
std::unique_ptr<BoxDecoder> make_yolov8_decoder(const ModelInfo&, const DecoderRequest&);

}  // namespace tandem::network
