// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/srad/srad.h"
#include "tests/kernels/support/implementation.h"

/// The six stages of SRAD in one implementation, as the check and the bench call them.
namespace tandem::check {

struct SradStages {
  std::string name;
  bool thread_safe = true;
  int64_t target = 0;  ///< Highway target to run on, 0 = the best
  std::function<decltype(srad_extract_ref)> extract;
  std::function<decltype(srad_prepare_ref)> prepare;
  /// The statistics of the whole image, its rows summed band by band.
  std::function<SradStatistics(Plane<const float> image, Plane<const float> squares,
                               const std::vector<Rows>& bands)>
      reduce;
  std::function<decltype(srad_diffuse_ref)> diffuse;
  std::function<decltype(srad_update_ref)> update;
  std::function<decltype(srad_compress_ref)> compress;
};
inline void PrintTo(const SradStages& stages, std::ostream* out) { *out << stages.name; }

const SradStages& srad_reference();
/// SIMD on each target, then each OpenCL device.
std::vector<SradStages> srad_implementations();

}  // namespace tandem::check
