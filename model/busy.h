// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "model/configuration.h"

namespace tandem {

/// One value for each kind of device: the letters g, h and i.
using PerLetter = std::array<double, kMaxLetters>;

/// Seconds for which cores and devices computed, summed over the cores and over the devices of each
/// kind.
struct Busy {
  double cores_s = 0;
  PerLetter devices_s{};

  /// `part` of another one on top.
  void add(const Busy& other, double part = 1) {
    cores_s += part * other.cores_s;
    for (int i = 0; i < kMaxLetters; ++i) devices_s[i] += part * other.devices_s[i];
  }
};

}  // namespace tandem
