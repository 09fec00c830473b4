// SPDX-License-Identifier: LGPL-2.1-or-later
// Two stages of the tracker on two cores: a thread reads what it wrote in the stage before itself,
// or what another one did.
#include <algorithm>
#include <random>
#include <vector>

#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_pyramid/klt_pyramid.h"
#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/tensor_plane.h"

namespace tandem::check {
namespace {

/// Of a frame of noise.
void bench_medium_grain_with_pyramid(benchmark::State& state, FrameSize size) {
  std::mt19937 random(1);
  Guarded<uint8_t> luma(size.width, size.height);
  for (int y = 0; y < size.height; ++y)
    std::generate_n(luma.row(y), size.width, [&] { return static_cast<uint8_t>(random()); });
  const KltLayout layout{size.width, size.height};
  TensorPlane<float> floats(static_cast<int>(layout.floats()), 1, 1);
  const KltPyramid<float> pyramid = layout.over(floats.row(0));
  Guarded<float> strength(size.width, size.height), greatest(klt_blocks(size.width), size.height);
  std::vector<KltFeature> features(500);
  const int window = size.height > 1000 ? 48 : 20;
  medium_grain(state, size.height,
               {[&](Rows rows) { klt_pyramid_simd(luma.plane(), pyramid, rows); },
                [&](Rows rows) {
                  klt_strength_simd(pyramid.levels[0].dx, pyramid.levels[0].dy, window,
                                    strength.plane(), rows);
                  klt_greatest_simd(strength.plane(), greatest.plane(), rows);
                }},
               [&] {
                 klt_select_in_blocks_simd(strength.plane(), greatest.plane(), KltCandidates::peaks,
                                           500, features.data());
               });
}

BENCHMARK_CAPTURE(bench_medium_grain_with_pyramid, LD, kFrameSizes[0])->UseManualTime();
BENCHMARK_CAPTURE(bench_medium_grain_with_pyramid, HD, kFrameSizes[1])->UseManualTime();

}  // namespace
}  // namespace tandem::check
