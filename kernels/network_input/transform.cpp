// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network_input/transform.h"

#include <algorithm>

namespace tandem::network {
namespace {

struct Weights {
  double u, v;
};

/// Factors of the differences of colours, in the order red, green, blue.
std::array<Weights, 3> chroma_weights(const YuvMatrix& matrix) {
  const double kg = 1 - matrix.kr - matrix.kb;
  const double red = 2 * (1 - matrix.kr), blue = 2 * (1 - matrix.kb);
  return {Weights{0, red}, Weights{-blue * matrix.kb / kg, -red * matrix.kr / kg},
          Weights{blue, 0}};
}

}  // namespace

InputTransform::InputTransform(const ModelInfo& info, int input_channels, int input_width,
                               int input_height, const Frame& frame)
    : placement(place_frame(frame.width, frame.height, input_width, input_height, info.fit)),
      channels(input_channels),
      uses_chroma(channels == 3 && info.colors != ModelInfo::Colors::luma &&
                  frame.chroma_width > 0),
      across(frame.width, placement.width),
      down(frame.height, placement.height),
      chroma_across(std::max(1, frame.chroma_width), placement.width),
      chroma_down(std::max(1, frame.chroma_height), placement.height) {
  const std::array<Weights, 3> colors = chroma_weights(frame.matrix);
  const YuvMatrix& matrix = frame.matrix;
  for (std::size_t c = 0; c < maps.size(); ++c) {
    ChannelMap& map = maps[c];
    const double luma = 255 / matrix.luma_range;
    double offset = -luma * matrix.luma_zero;
    map.luma = static_cast<float>(luma);
    if (uses_chroma) {
      const Weights& weights = colors[info.colors == ModelInfo::Colors::bgr ? 2 - c : c];
      const double chroma = 255 / matrix.chroma_range;
      map.u = static_cast<float>(chroma * weights.u);
      map.v = static_cast<float>(chroma * weights.v);
      offset -= chroma * (weights.u + weights.v) * matrix.chroma_zero;
    }
    map.offset = static_cast<float>(offset);
    map.scale = 1 / info.deviation[c];
    map.shift = -info.mean[c] / info.deviation[c];
    map.padding = info.padding * map.scale + map.shift;
  }
}

}  // namespace tandem::network
