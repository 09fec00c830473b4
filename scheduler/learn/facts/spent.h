// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>

#include "model/overhead.h"
#include "scheduler/learn/facts/observation.h"

namespace tandem {

/// On what a training spends its time.
enum class SpentOn {
  device,    ///< the device alone: its stages one by one, whole frames, lanes
  beside,    ///< cores beside the device at work
  cores,     ///< the cores alone, under coarse grain
  medium,    ///< medium grain
  glances,   ///< trials of configurations that promised a gain
  looks,     ///< longer trials
  switches,  ///< frames of one while the next had begun, and that were not counted
};
inline constexpr int kSpentOn = static_cast<int>(SpentOn::switches) + 1;
const char* to_string(SpentOn on);

/// Where the time of trainings went.
struct Spent {
  struct Part {
    int runs = 0;  ///< experiments, glances or looks
    int frames = 0;
    double seconds = 0;
  };
  std::array<Part, kSpentOn> parts;

  const Part& operator[](SpentOn on) const { return parts[static_cast<int>(on)]; }
  void add(const Spent& other);
};

/// Adds up the observations of a training by kind; the rest of its `cost` was spent on switches.
Spent spent_on(std::span<const Observation> observations, const Training& cost);

}  // namespace tandem
