// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"

/// Tracking stage 2: the corners of a frame that are worth following.
/// Source: the tracking benchmark of the San Diego Vision Benchmark Suite (Venkata et al., IISWC
/// 2009): Shi and Tomasi's corners with the harmonic mean of the eigenvalues as strength.
namespace tandem {

/// A place in a frame in pixels. Strength 0: none is here, and none follows.
struct KltFeature {
  float x = 0, y = 0, strength = 0;
};

/// Two features are further apart than this.
inline constexpr int kKltSuppressionPixels = 10;
/// Most features that can be asked for.
inline constexpr int kKltMostFeatures = 2048;

/// strength = `(xx yy - xy^2) / (xx + yy + 1e-5)`, where xx, xy and yy are the sums of dx^2, dx dy
/// and dy^2 over `window` x `window` pixels. `(window + 1) / 2` of these are left of and above the
/// pixel. Pixels outside the frame add nothing. Features can be where `window <= x < W - window`,
/// and the same in y; the strength is 0 elsewhere. Safe from many threads on disjoint rows;
/// allocates nothing once a thread has seen the width. The SIMD version adds in another order and
/// agrees to `1e-5 (xx + yy)`.
void klt_strength_ref(Plane<const float> dx, Plane<const float> dy, int window,
                      Plane<float> strength, Rows rows);
void klt_strength_simd(Plane<const float> dx, Plane<const float> dy, int window,
                       Plane<float> strength, Rows rows);

/// Which pixels can be features.
enum class KltCandidates {
  pixels,  ///< all, as in the benchmark: the strongest lie around few corners
  peaks    ///< those stronger than the four of their neighbours that are before them in reading
           ///< order, and no weaker than the four behind; outside of the frame is 0
};

/// Takes features from the `count` candidates of greatest positive strength (the first in reading
/// order among equals), from the strongest on. Each is further than kKltSuppressionPixels from all
/// that were taken before. Writes `count` features, the strongest first, the rest empty.
void klt_select_ref(Plane<const float> strength, KltCandidates candidates, int count,
                    KltFeature* features);

/// As klt_select_ref, exactly, for many threads. Each writes the greatest strength of every block
/// of its rows while they are in its cache. One thread then selects by these, and the others wait.
/// `greatest` has klt_blocks() elements a row. Allocates nothing once a thread has seen the size
/// and the count.
inline constexpr int kKltBlock = 64;  ///< pixels; the last one of a row may be shorter
constexpr int klt_blocks(int width) { return (width + kKltBlock - 1) / kKltBlock; }
void klt_greatest_simd(Plane<const float> strength, Plane<float> greatest, Rows rows);
void klt_select_in_blocks_simd(Plane<const float> strength, Plane<const float> greatest,
                               KltCandidates candidates, int count, KltFeature* features);

/// Both on the device. One thread at a time. The selection is exact.
class KltFeaturesOpenCL {
 public:
  explicit KltFeaturesOpenCL(opencl::Context& context);  ///< throws opencl::Error
  ~KltFeaturesOpenCL();

  /// `scratch` holds six floats for each pixel.
  void enqueue_strength(opencl::Queue& queue, const opencl::DevicePlane& dx,
                        const opencl::DevicePlane& dy, int window,
                        const opencl::DevicePlane& strength, const opencl::DeviceSpan& scratch);
  /// `features`: 3 `count` floats; `scratch`: selection_scratch() uint32.
  void enqueue_select(opencl::Queue& queue, const opencl::DevicePlane& strength,
                      KltCandidates candidates, int count, const opencl::DeviceSpan& features,
                      const opencl::DeviceSpan& scratch);
  static std::size_t selection_scratch();

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem
