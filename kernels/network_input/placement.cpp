// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network_input/placement.h"

#include <algorithm>
#include <cmath>

namespace tandem::network {

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

}  // namespace tandem::network
