// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "kernels/stage_file/run/stage_runner.h"

namespace tandem::check {

/// Any device; null when there is none.
inline std::shared_ptr<opencl::Context> any_context() {
  try {
    return opencl::Context::open("any");
  } catch (const opencl::Error&) {
    return nullptr;
  }
}

inline std::vector<uint8_t> random_luma(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> luma(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (uint8_t& level : luma) level = static_cast<uint8_t>(random());
  return luma;
}

}  // namespace tandem::check
