// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <compare>
#include <string>

namespace tandem {

/// The key of knowledge: all that determines the time of a frame.
struct Conditions {
  std::string stages = {};  ///< in order, each with all of its properties
  std::string format = {};  ///< of the frames, such as I420
  int width = 0;            ///< of the frames, pixels
  int height = 0;
  std::string processor = {};  ///< its name; empty where the system does not tell
  int cores = 0;               ///< physical ones that the bin may use
  std::string device = {};     ///< its name, its driver and how many there are; empty: none

  auto operator<=>(const Conditions&) const = default;
};

}  // namespace tandem
