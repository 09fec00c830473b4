// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tandem {

/// Values along one side of a chart.
struct Axis {
  double least = 0, most = 1;
  bool logarithmic = false;
  std::vector<double> ticks;  ///< ascending, within least and most

  /// 0 at `least`, 1 at `most`.
  double position(double value) const;
  /// A tick as text: without superfluous digits; thousands as 2k on axes beyond 10k.
  std::string label(double tick) const;
};

/// From 0 to `most`, which is positive, with about `intervals` steps: `1, 2, 2.5 or 5` times a
/// power of ten.
Axis linear_axis(double most, int intervals);

/// From below `least`, which is positive, to above `most`. Ticks are at `1, 2 and 5` times powers
/// of ten, or at powers of ten alone if those would be more than `most_ticks`.
Axis logarithmic_axis(double least, double most, std::size_t most_ticks);

}  // namespace tandem
