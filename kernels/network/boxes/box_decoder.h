// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/network/model_info.h"
#include "kernels/util/detection.h"

/// Decoders of the output of detection networks. All run on one core: they look at each score once
/// and compute boxes of scores above the threshold alone.
namespace tandem::network {

/// Most detections that a decoder returns of a frame, the strongest: what suppress_overlaps() gets.
inline constexpr std::size_t kMostCandidates = 1000;

struct DecoderRequest {
  std::span<const std::size_t> output;    ///< sides of the network's output
  int input_width = 0, input_height = 0;  ///< pixels of the network's input
  std::vector<bool> wanted{};             ///< by class; empty: all classes
};

/// The least and the largest score of an output. Those that are not numbers are left out.
struct ScoreRange {
  float least = std::numeric_limits<float>::infinity(), most = -least;
  void add(std::span<const float> scores);
};

/// Immutable. Thread-safe.
class BoxDecoder {
 public:
  virtual ~BoxDecoder() = default;

  /// Replaces `found` by the detections of at least this probability, in pixels of the network's
  /// input. Boxes may overlap, and reach beyond the input. A score or a box that is not a number is
  /// no detection. Throws std::runtime_error if a score is above 1 where ModelInfo::scores are
  /// probabilities: the file has logits.
  virtual void decode(const float* output, float threshold,
                      std::vector<Detection>& found) const = 0;

  /// Looks at all scores, which takes longer than decode().
  virtual ScoreRange score_range(const float* output) const = 0;
};

/// The decoder of ModelInfo::decoder. Throws std::runtime_error if shape, labels and keys
/// contradict each other, or if the decoder makes no boxes. `info` is used in the call alone.
///
/// | decoder | output, without sides of 1 before | classes |
/// | --- | --- | --- |
/// | nanodet | (classes + 4 bins) x places of all grids | each above the threshold |
/// | ssd | anchors x (4 codes, background, classes) | each above the threshold |
/// | yolov5 | places x (centre, size, objectness, classes) | the best of a place |
/// | yolov8 | (centre, size, classes) x places | the best of a place |
/// | yolox | places of all grids x (codes of centre and size, objectness, classes) | likewise |
std::unique_ptr<BoxDecoder> make_box_decoder(const ModelInfo& info, const DecoderRequest& request);

struct FrameClass {
  int label = -1;  ///< -1: no value is a number
  float probability = 0;
};

/// The best class of ModelInfo::Decoder::classes: one value a class. Throws as decode() does.
FrameClass best_class(std::span<const float> output, ModelInfo::Scores scores);

/// Advice on the model information if scores of this range contradict its `scores`; empty: none.
std::string scores_advice(const ModelInfo& info, const ScoreRange& range);

/// Throws std::runtime_error unless as many labels as classes are named.
void check_labels(const ModelInfo& info, std::size_t classes);

}  // namespace tandem::network
