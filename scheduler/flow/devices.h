// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/configuration.h"

namespace tandem {

/// No device, no lane or no worker.
inline constexpr int kNoDevice = -1;

/// The devices of a machine, and the stages that they can compute. Devices of one kind have
/// neighbouring numbers.
struct Devices {
  /// `devices` of one kind.
  Devices(uint32_t capable_of, int devices = 1)  // NOLINT(google-explicit-constructor)
      : count(std::clamp(devices, 1, kMaxDevices)), capable{capable_of} {}

  int count;                                    ///< of all kinds
  std::array<uint8_t, kMaxDevices> kind{};      ///< of each: 0 ... kMaxLetters - 1
  std::array<uint32_t, kMaxLetters> capable{};  ///< of each kind, bit k: it can compute stage k
};

}  // namespace tandem
