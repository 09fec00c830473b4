// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "model/measurements.h"

namespace tandem {

/// Devices of one letter that a chain may use.
struct DeviceLetter {
  uint32_t capable = 0;         ///< bit k: stage k can run on them
  int devices = 1;              ///< of one kind
  std::vector<int> lanes = {};  ///< numbers of lanes above one that they may have
  bool on_cores = false;        ///< they are made of the cores

  bool operator==(const DeviceLetter&) const = default;
};

/// A chain of stages and the parts of the machine that they may use.
struct Chain {
  int stages = 1, cores = 1;
  uint32_t device_capable = 0;  ///< bit k: stage k can run on the device
  uint32_t device_only = 0;     ///< bit k: stage k has no CPU implementation
  uint32_t can_split = 0;       ///< bit k: stage k can compute a part of its rows on each side
  uint32_t bands = 0;           ///< bit k: a device can compute stage k in bands
  int devices = 1;              ///< of one kind
  std::vector<int> lanes;       ///< numbers of lanes above one that the device may have
  std::vector<DeviceLetter> further = {};  ///< devices of other kinds, the letters h and i
  uint32_t serial_stages = 0;
  double tdp_w = 0;  ///< of what the meter covers; 0: unknown
  /// Domains of the energies; absent where there is no meter.
  Domains domains;
  double energy_resolution_s = 0;  ///< between new values of the meter
  int window = 0;                  ///< most frames in flight; 0: no bound
  /// Frames from one that all stages compute to the next: stages may leave frames out.
  int period = 1;
};

/// How many devices there are of a letter, from 0 for g.
inline int devices_of_letter(const Chain& chain, int letter) {
  if (letter == 0) return chain.devices;
  return letter <= std::ssize(chain.further) ? chain.further[letter - 1].devices : 0;
}

/// How many devices a mapping may use.
inline int devices_of(const Chain& chain, const Mapping& mapping) {
  if (!mapping.any_further_letter()) return chain.devices;
  int devices = 0;
  for (int letter = 0; letter < kMaxLetters; ++letter)
    if ((mapping.letters() >> letter & 1) != 0) devices += devices_of_letter(chain, letter);
  return devices;
}

/// Bit k: both sides can compute stage k, and a part of its rows.
inline uint32_t splittable(const Chain& chain) {
  return chain.can_split & chain.device_capable & ~chain.device_only;
}

}  // namespace tandem
