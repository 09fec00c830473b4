// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network_input/transform.h"

#include <algorithm>
#include <cmath>

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

Placement place_frame(int frame_width, int frame_height, int input_width, int input_height,
                      ModelInfo::Fit fit) {
  Placement p{frame_width, frame_height, input_width, input_height, 0,
              0,           input_width,  input_height};
  if (fit == ModelInfo::Fit::stretch) return p;
  const double scale = std::min(static_cast<double>(input_width) / frame_width,
                                static_cast<double>(input_height) / frame_height);
  const auto side = [&](int pixels, int most) {
    return std::clamp(static_cast<int>(std::lround(pixels * scale)), 1, most);
  };
  p.width = side(frame_width, input_width);
  p.height = side(frame_height, input_height);
  p.x = (input_width - p.width) / 2;
  p.y = (input_height - p.height) / 2;
  return p;
}

Detection to_frame(const Placement& p, const Detection& d) {
  const float across = static_cast<float>(p.frame_width) / static_cast<float>(p.width);
  const float down = static_cast<float>(p.frame_height) / static_cast<float>(p.height);
  return {(d.x - static_cast<float>(p.x)) * across,
          (d.y - static_cast<float>(p.y)) * down,
          d.width * across,
          d.height * down,
          d.score,
          d.label};
}

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
