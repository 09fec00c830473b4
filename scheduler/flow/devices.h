// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/configuration.h"

namespace tandem {

/// No device, no lane or no driver.
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

/// The meaning of the letters of mappings: the kinds with a usable device, in their order.
struct Letters {
  int devices = 1;                              ///< of all letters
  std::array<int8_t, kMaxDevices> of{};         ///< of each device; 0: g; negative: none
  std::array<uint32_t, kMaxLetters> capable{};  ///< of each letter

  bool operator==(const Letters&) const = default;
};

/// The letter of a side, 0 for g. Split stages are on g.
constexpr int letter_of(Side side) {
  return side == Side::s ? 0 : static_cast<int>(side) - static_cast<int>(Side::g);
}
constexpr Side side_of_letter(int letter) {
  return static_cast<Side>(static_cast<int>(Side::g) + letter);
}

}  // namespace tandem
