// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// Pixels.
struct Sides {
  int width = 0, height = 0;
};

/// The stage's notice (StageWork::notice(), a warning that is posted once) for frames that are too
/// small for the stage to find anything. Such frames pass without a result. `nothing` begins the
/// notice: "No corner can be found". `setting`, such as "kltfeatures window=19", makes frames of
/// this size large enough; empty: no property does.
inline std::string too_small_notice(const std::string& nothing, Sides frame, Sides needed,
                                    const std::string& setting) {
  const auto text = [](Sides sides) {
    return std::to_string(sides.width) + "x" + std::to_string(sides.height);
  };
  return nothing + " in frames of " + text(frame) + ": at least " + text(needed) +
         " pixels are needed. Put videoscale before the stages" +
         (setting.empty() ? "" : ", or set " + setting) + ".";
}

}  // namespace tandem
