// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst/elements/stagework.h"
#include "kernels/klt_pyramid/klt_pyramid.h"

/// The tensors of the tracking stages, and the benchmark's settings for each size.
namespace tandem {

/// float32 [KltLayout::floats()]: the pyramid of the previous frame; all 0 when there is none.
inline constexpr char kKltPrevious[] = "klt-previous";
/// float32 [KltLayout::floats()]: the pyramid of this frame.
inline constexpr char kKltCurrent[] = "klt-current";
/// float32 [features, 3]: x, y and strength in the previous frame, the strongest first; strength 0:
/// no more.
inline constexpr char kKltFeatures[] = "klt-features";
/// float32 [features, 5]: x and y in the previous frame, dx, dy, and a flag. The flag is 1 if the
/// feature was found again, else 0.
inline constexpr char kKltVectors[] = "klt-vectors";

struct KltPreset {
  int window, features, iterations;

  /// The benchmark's for the largest of its sizes that is no larger than the frame.
  static KltPreset of(int width, int height);
};

/// The layout of the pyramids on frames of this size; throws std::runtime_error when `tensor` is
/// none of those.
KltLayout klt_layout(const WorkRequest& request, const Tensor& tensor);

}  // namespace tandem
