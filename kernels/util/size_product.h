// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem {

/// The product of sizes, none of which is negative. A product beyond std::size_t is SIZE_MAX, which
/// exceeds any memory and any bound, so that every comparison refuses it.
constexpr std::size_t product_of_sizes(const auto& sizes) {
  std::size_t product = 1;
  for (const auto size : sizes)
    if (__builtin_mul_overflow(product, static_cast<std::size_t>(size), &product))
      product = SIZE_MAX;
  return product;
}

}  // namespace tandem
