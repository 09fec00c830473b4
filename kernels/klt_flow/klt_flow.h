// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_pyramid/klt_pyramid.h"

/// Tracking stage 3: where each feature of one frame is in the next (pyramidal Lucas-Kanade).
/// Source: the tracking benchmark of the San Diego Vision Benchmark Suite (Venkata et al., IISWC
/// 2009).
namespace tandem {

/// A feature was at (x, y) and moved by (dx, dy), in pixels. `found` is 1, or 0 when it was lost;
/// then the rest is 0.
struct KltVector {
  float x = 0, y = 0, dx = 0, dy = 0, found = 0;
};

struct KltFlowSettings {
  int window = 20;         ///< half the side of the patches that are compared, pixels
  int iterations = 20;     ///< most steps on each level
  float accuracy = 0.03f;  ///< stops below this squared step; least texture of a patch
};

/// Follows each feature of `features` on level 1, and then on level 0 from where that led. Patches
/// have 2 window x 2 window pixels, bilinear between pixels. The template is from `previous`, the
/// gradients are from `current` at the same place; cxx, cxy and cyy are the sums of their products.
/// Each step is as follows, until a squared one is below `accuracy` or `iterations` are done:
///   e = sum (previous - current at d) dx, g likewise with dy,
///   d += (e cyy - g cxy, g cxx - e cxy) / (cxx cyy - cxy^2)
/// A feature is lost if it leaves either level, has `det / (trace + 1e-5) < accuracy` or no
/// strength. Safe from many threads on disjoint ranges of features. Fast versions add in another
/// order: they agree to 0.01 pixels, except where a step meets a threshold that closely.
void klt_flow_ref(const KltPyramid<const float>& previous, const KltPyramid<const float>& current,
                  const KltFeature* features, const KltFlowSettings& settings, KltVector* vectors,
                  Rows range);
void klt_flow_simd(const KltPyramid<const float>& previous, const KltPyramid<const float>& current,
                   const KltFeature* features, const KltFlowSettings& settings, KltVector* vectors,
                   Rows range);

/// The same on the device, for `count` features. One thread at a time. Both pyramids are laid out
/// as `layout` says.
class KltFlowOpenCL {
 public:
  explicit KltFlowOpenCL(opencl::Context& context);  ///< throws opencl::Error
  void enqueue(opencl::Queue& queue, const KltLayout& layout, const opencl::DeviceSpan& previous,
               const opencl::DeviceSpan& current, const opencl::DeviceSpan& features, int count,
               const KltFlowSettings& settings, const opencl::DeviceSpan& vectors);

 private:
  std::size_t items_ = 1;  // of a work-group, which follows one feature
  opencl::Kernel kernel_;
  std::size_t kept_bytes_;  // of local memory, for gradients
};

}  // namespace tandem
