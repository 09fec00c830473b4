// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

namespace tandem {

/// The offset of the plane of this number behind a multiple of 4 KiB, a multiple of 64 bytes. No
/// two of seven consecutive planes come closer than 448 bytes.
///
/// Rows of planes that begin at multiples of 4 KiB and are walked together disturb each other. A
/// processor compares a load with the stores before it by the last 12 bits of their addresses.
/// First-level caches have one set for all lines that share these bits.
constexpr std::size_t plane_offset(unsigned number) {
  constexpr unsigned kLineBytes = 64, kLines = 64, kStep = 37;
  return number * kStep % kLines * kLineBytes;
}

}  // namespace tandem
