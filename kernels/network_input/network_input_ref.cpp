// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/network_input/network_input.h"

namespace tandem::network {
namespace {

double mean_under(const Plane<const uint8_t>& plane, int step, const ResizeAxis& across,
                  const ResizeAxis& down, int x, int y) {
  double mean = 0;
  for (int ty = 0; ty < down.taps && down.first[y] + ty < down.source; ++ty)
    for (int tx = 0; tx < across.taps && across.first[x] + tx < across.source; ++tx)
      mean += double{down.weights_of_tap(ty)[y]} * double{across.weights_of_tap(tx)[x]} *
              plane.row(down.first[y] + ty)[step * (across.first[x] + tx)];
  return mean;
}

}  // namespace

void network_input_ref(const YuvFrame& frame, const InputTransform& t, float* input, Rows rows) {
  const Placement& p = t.placement;
  for (int c = 0; c < t.channels; ++c) {
    const ChannelMap& map = t.maps[static_cast<std::size_t>(c)];
    for (int y = rows.begin; y < rows.end; ++y) {
      float* const out = input + (std::ptrdiff_t{c} * p.input_height + y) * p.input_width;
      for (int x = 0; x < p.input_width; ++x) {
        const int inner_x = x - p.x, inner_y = y - p.y;
        if (inner_x < 0 || inner_x >= p.width || inner_y < 0 || inner_y >= p.height) {
          out[x] = map.padding;
          continue;
        }
        double level =
            map.luma * mean_under(frame.luma, 1, t.across, t.down, inner_x, inner_y) + map.offset;
        if (t.uses_chroma) {
          level += map.u * mean_under(frame.u, frame.chroma_step, t.chroma_across, t.chroma_down,
                                      inner_x, inner_y);
          level += map.v * mean_under(frame.v, frame.chroma_step, t.chroma_across, t.chroma_down,
                                      inner_x, inner_y);
        }
        level = std::clamp(level, 0.0, 255.0);
        out[x] = static_cast<float>(level * map.scale + map.shift);
      }
    }
  }
}

}  // namespace tandem::network
