// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem::test {

/// Joules as pcm-sensor-server prints them; an empty text leaves the counter out.
struct PcmJson {
  int sockets = 1;
  std::string package_j = "0", memory_j = "0";
  std::string cores_j = "", device_j = "";  ///< Debian 12's version has neither
  std::string interval_us = "1000000";
  std::string residency = "0.98";  ///< a value that is none of our business
};

/// An answer of the shape that the server gives at / and at /persecond, with fewer cores and
/// counters.
std::string pcm_json(const PcmJson& values);

}  // namespace tandem::test
