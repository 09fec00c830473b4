// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>

namespace tandem {

/// What one answer of pcm-sensor-server says about energy, all sockets added up. A counter that is
/// missing for a socket, or is no number, is unknown.
struct PcmSample {
  double interval_s = 1;
  int sockets = 0;
  std::optional<double> package_j;
  std::optional<double> cores_j;   ///< PP0; Debian 12's version does not tell it
  std::optional<double> device_j;  ///< PP1, the graphics in the package; the same
  std::optional<double> memory_j;
};

/// Reads the JSON that the server gives at / (since it started) and at /persecond (between its last
/// two samples). Empty when it is not such JSON; `error` says why.
std::optional<PcmSample> parse_pcm_sample(const std::string& body, std::string& error);

}  // namespace tandem
