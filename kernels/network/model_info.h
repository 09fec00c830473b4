// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <string>
#include <vector>

namespace tandem::network {

/// The anchors of an SSD network, as TensorFlow's and MediaPipe's networks have them. Source: Liu
/// et al., "SSD: Single shot multibox detector", 2016. The first grid has the ratios 1, 2 and 1/2,
/// of which the first has half of the least scale. Each other grid has all ratios and a further
/// square at the geometric mean of its scale and the next. The defaults are theirs for 300 x 300.
struct SsdAnchors {
  std::vector<int> grids{19, 10, 5, 3, 2, 1};  ///< places a side, the finest first
  float least_scale = 0.2f, most_scale = 0.95f;
  std::vector<float> ratios{1, 2, 1.0f / 2, 3, 1.0f / 3};  ///< width by height
  float center_scale = 10, size_scale = 5;                 ///< codes are multiplied by these
};

/// Information that an ONNX file lacks: how pixels become its input, and what its output is.
struct ModelInfo {
  enum class Colors { rgb, bgr, luma };  ///< luma: in each of three channels
  enum class Fit {
    letterbox,  ///< keeps the frame's shape, with padding around it
    stretch
  };
  enum class Decoder { none, nanodet, ssd, yolov5, yolov8, yolox, classes };
  enum class Scores { probabilities, sigmoid, softmax };  ///< what makes the output probabilities

  Colors colors = Colors::rgb;
  Fit fit = Fit::letterbox;
  /// One a channel in the network's order: the input is (v - mean) / deviation of v in 0 to 255.
  std::array<float, 3> mean{0, 0, 0}, deviation{1, 1, 1};
  float padding = 0;  ///< v around a letterboxed frame, in all channels

  std::string path;  ///< of the file that was read
  Decoder decoder = Decoder::none;
  Scores scores = Scores::probabilities;
  std::vector<std::string> labels;      ///< of each class, without the background of `ssd`
  std::vector<int> strides{8, 16, 32};  ///< nanodet, yolox: pixels between two places of a grid
  int bins = 11;                        ///< nanodet: logits of each distance
  SsdAnchors anchors;
};

/// Reads the key file beside an ONNX file: MODEL.onnx.modelinfo, else MODEL.modelinfo. Names and
/// form are those of GStreamer's GstAnalyticsModelInfo (since 1.28), which does not read the group
/// [tandem]. In its own groups only `ranges` of the first input counts, and only if [tandem] has
/// neither `mean` nor `deviation`. Labels are read from no folder but the model's. Throws
/// std::runtime_error that names the file, the line or the key, and says what to do.
ModelInfo read_model_info(const std::string& onnx_path);

}  // namespace tandem::network
