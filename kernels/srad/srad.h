// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"

/// Speckle reducing anisotropic diffusion, in six stages. Yu and Acton, "Speckle reducing
/// anisotropic diffusion", IEEE Transactions on Image Processing 11(11), 2002; divided into stages
/// as Rodinia's srad_v1 is. Stages 2 to 5 may be repeated.
///
/// Each stage is one function over a range of rows, safe from many threads on disjoint ranges. All
/// planes of a call but `differences` have the size of the image. Images are positive: what comes
/// out of stage 1 is between 1 and e, and no iteration leaves that range.
namespace tandem {

/// Stage 1: image = exp(luma / 255).
void srad_extract_ref(Plane<const uint8_t> luma, Plane<float> image, Rows rows);
void srad_extract_simd(Plane<const uint8_t> luma, Plane<float> image, Rows rows);

/// Stage 2: squares = image^2.
void srad_prepare_ref(Plane<const float> image, Plane<float> squares, Rows rows);
void srad_prepare_simd(Plane<const float> image, Plane<float> squares, Rows rows);

/// The sums of one row.
struct SradSums {
  double image = 0, squares = 0;
};
/// Statistics of the whole image, which describe its speckle.
struct SradStatistics {
  float mean = 0;
  /// q0 of the paper, squared: the variance divided by the squared mean. 0 when that is below
  /// kSradLeastVariation: a constant image has no speckle.
  float variation = 0;
};
/// Exceeds the variation that a constant image has, as squares are rounded to single precision.
inline constexpr double kSradLeastVariation = 0x1p-22;

/// Stage 3: sums[y] of each row y of the range, added in double precision.
void srad_reduce_ref(Plane<const float> image, Plane<const float> squares, SradSums* sums,
                     Rows rows);
void srad_reduce_simd(Plane<const float> image, Plane<const float> squares, SradSums* sums,
                      Rows rows);
/// The rest of stage 3, once all rows are there. The result does not depend on the bands.
SradStatistics srad_combine(const SradSums* sums, int width, int height);
/// The same from the sums of all rows.
SradStatistics srad_statistics(const SradSums& all, int width, int height);

/// Stage 4: how each pixel differs from its neighbours, and how much it is to diffuse. Halo 1; the
/// border is repeated outside of the image. `differences` are two planes one below the other. With
/// H rows, row y holds neighbour - pixel to the south and row H + y to the east, 0 at the border.
/// Those to the north and west are the negated ones of the neighbours there. `coefficient` is in
/// [0, 1]. It is 0 everywhere when the variation is 0: without speckle, all differences belong to
/// the picture.
void srad_diffuse_ref(Plane<const float> image, float variation, Plane<float> differences,
                      Plane<float> coefficient, Rows rows);
void srad_diffuse_simd(Plane<const float> image, float variation, Plane<float> differences,
                       Plane<float> coefficient, Rows rows);

/// Stage 5: updated = image + lambda / 4 * the divergence of the diffusion. Halo of `coefficient`:
/// one row below, one column to the right; of `differences`: one row above, one column to the left.
/// lambda is in (0, 1]. `updated` may be `image`.
void srad_update_ref(Plane<const float> image, Plane<const float> differences,
                     Plane<const float> coefficient, float lambda, Plane<float> updated, Rows rows);
void srad_update_simd(Plane<const float> image, Plane<const float> differences,
                      Plane<const float> coefficient, float lambda, Plane<float> updated,
                      Rows rows);

/// Stage 6: `luma = 255 log(image)`, rounded and clamped to [0, 255].
void srad_compress_ref(Plane<const float> image, Plane<uint8_t> luma, Rows rows);
void srad_compress_simd(Plane<const float> image, Plane<uint8_t> luma, Rows rows);

/// The same on the device. One thread at a time. Images and coefficients agree to 1e-5; luma that
/// lies within 1e-3 of half a grey level may be rounded the other way.
class SradOpenCL {
 public:
  using Plane = opencl::DevicePlane;
  using Span = opencl::DeviceSpan;

  explicit SradOpenCL(opencl::Context& context);  ///< throws opencl::Error
  ~SradOpenCL();

  void extract(opencl::Queue& queue, const Plane& luma, const Plane& image, Rows rows) const;
  void prepare(opencl::Queue& queue, const Plane& image, const Plane& squares, Rows rows) const;
  /// Stage 3 of the whole image in one launch. `sums`: scratch of kSumFloats floats a row of the
  /// image. `statistics`: a SradStatistics as two floats. Rounds in two floats what the host has
  /// doubles for.
  void reduce(opencl::Queue& queue, const Plane& image, const Plane& squares, const Span& sums,
              const Span& statistics) const;
  static constexpr int kSumFloats = 4;
  /// As reduce(), of the rows before `rows` alone. The owner of the other rows needs the first
  /// sums_of(rows) of `sums`. Each holds the image, its rounding error, the squares, and theirs.
  /// There is room for one more than `rows`.
  void reduce_first(opencl::Queue& queue, const Plane& image, const Plane& squares,
                    const Span& sums, int rows) const;
  int sums_of(int rows) const;  ///< at most `rows`
  void diffuse(opencl::Queue& queue, const Plane& image, const Span& statistics,
               const Plane& differences, const Plane& coefficient, Rows rows) const;
  /// On a GPU diffuse() and update() of all rows are deferred. If the next commands of the queue
  /// are further iterations of `updated` that write the same tensors, one launch computes each
  /// iteration. Results do not depend on it.
  void update(opencl::Queue& queue, const Plane& image, const Plane& differences,
              const Plane& coefficient, float lambda, const Plane& updated, Rows rows) const;
  void compress(opencl::Queue& queue, const Plane& image, const Plane& luma, Rows rows) const;

 private:
  struct Private;
  struct Left;
  static Left* left_at(opencl::Queue& queue, int step);
  std::shared_ptr<Private> self_;  // also held by what a queue has deferred
};

}  // namespace tandem
