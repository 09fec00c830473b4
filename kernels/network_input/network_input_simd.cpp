// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <vector>

#include "kernels/network_input/network_input.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network_input/network_input_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/resize/resize_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::network {
namespace HWY_NAMESPACE {
namespace {

namespace lines = tandem::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;
using lines::V;

struct StoreMeans {
  float* out;
  void operator()(int x, V sums) const { hn::StoreU(sums, lines::D(), out + x); }
  void operator()(int x, float sum) const { out[x] = sum; }
};

/// Means of a row, as wide as the frame's part of the input.
struct Means {
  std::vector<float> luma, u, v;
};

void average_planes(const YuvFrame& frame, const InputTransform& t, int y, Means& means) {
  thread_local std::vector<float> line;
  const auto more = static_cast<std::size_t>(t.chroma_across.taps);
  for (const auto& [plane, out] : {std::pair{&frame.u, &means.u}, std::pair{&frame.v, &means.v}}) {
    lines::average_rows(*plane, t.chroma_down, y, more, line);
    lines::average_columns<1>(line.data(), t.chroma_across, 0, StoreMeans{out->data()});
  }
}

void average_interleaved(const YuvFrame& frame, const InputTransform& t, int y, Means& means) {
  thread_local std::vector<float> line;
  const Plane<const uint8_t> both{std::min(frame.u.data, frame.v.data), 2 * frame.u.width,
                                  frame.u.height, frame.u.stride};
  lines::average_rows(both, t.chroma_down, y, static_cast<std::size_t>(2 * t.chroma_across.taps),
                      line);
  lines::average_columns<2>(line.data() + (frame.u.data - both.data), t.chroma_across, 0,
                            StoreMeans{means.u.data()});
  lines::average_columns<2>(line.data() + (frame.v.data - both.data), t.chroma_across, 0,
                            StoreMeans{means.v.data()});
}

/// The inputs of one channel.
void map_row(const Means& means, const ChannelMap& map, bool uses_chroma, int width, float* out) {
  const lines::D d;
  const V white = hn::Set(d, 255.0f);
  int x = 0;
  for (; x + lines::kLanes <= width; x += lines::kLanes) {
    V level =
        hn::MulAdd(hn::Set(d, map.luma), hn::LoadU(d, &means.luma[x]), hn::Set(d, map.offset));
    if (uses_chroma) {
      level = hn::MulAdd(hn::Set(d, map.u), hn::LoadU(d, &means.u[x]), level);
      level = hn::MulAdd(hn::Set(d, map.v), hn::LoadU(d, &means.v[x]), level);
    }
    level = hn::Min(hn::Max(level, hn::Zero(d)), white);
    hn::StoreU(hn::MulAdd(level, hn::Set(d, map.scale), hn::Set(d, map.shift)), d, out + x);
  }
  for (; x < width; ++x) {
    float level = map.luma * means.luma[x] + map.offset;
    if (uses_chroma) level += map.u * means.u[x] + map.v * means.v[x];
    out[x] = std::clamp(level, 0.0f, 255.0f) * map.scale + map.shift;
  }
}

void run(const YuvFrame& frame, const InputTransform& t, float* input, Rows rows) {
  thread_local std::vector<float> line;
  thread_local Means means;
  const Placement& p = t.placement;
  const auto width = static_cast<std::size_t>(p.width);
  for (std::vector<float>* row : {&means.luma, &means.u, &means.v})
    if (row->size() < width) row->resize(width);
  for (int y = rows.begin; y < rows.end; ++y) {
    const int inner = y - p.y;
    const bool is_frame = inner >= 0 && inner < p.height;
    if (is_frame) {
      lines::average_rows(frame.luma, t.down, inner, static_cast<std::size_t>(t.across.taps), line);
      lines::average_columns<1>(line.data(), t.across, 0, StoreMeans{means.luma.data()});
      if (t.uses_chroma && frame.chroma_step == 1) average_planes(frame, t, inner, means);
      if (t.uses_chroma && frame.chroma_step == 2) average_interleaved(frame, t, inner, means);
    }
    for (int c = 0; c < t.channels; ++c) {
      const ChannelMap& map = t.maps[static_cast<std::size_t>(c)];
      float* const out = input + (std::ptrdiff_t{c} * p.input_height + y) * p.input_width;
      if (!is_frame) {
        std::fill_n(out, p.input_width, map.padding);
        continue;
      }
      std::fill_n(out, p.x, map.padding);
      map_row(means, map, t.uses_chroma, p.width, out + p.x);
      std::fill(out + p.x + p.width, out + p.input_width, map.padding);
    }
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem::network
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::network {

HWY_EXPORT(run);

void network_input_simd(const YuvFrame& frame, const InputTransform& transform, float* input,
                        Rows rows) {
  HWY_DYNAMIC_DISPATCH(run)(frame, transform, input, rows);
}

}  // namespace tandem::network
#endif
