// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <span>

#include "model/measurements.h"

namespace tandem {

/// What frames took with one share of the rows on the cores.
struct ShareTried {
  int percent = 0;             ///< 1 ... 99
  double cores_s = kUnknown;   ///< until the cores were done with their rows
  double device_s = kUnknown;  ///< until the device was
  double frame_s = kUnknown;   ///< from the begin of a frame to its end
};

/// What each side takes for all rows alone.
struct WholesAlone {
  double cores_s = kUnknown, device_s = kUnknown;
};

/// Most shares that a search tries.
inline constexpr int kMostShares = 8;

/// The share to try next, in percent; none where no other share promises to gain anything to speak
/// of. Pure. `tried`: in any order, at least one.
///
/// Neither a fixed time nor the time of a row holds for all shares: few rows do not keep all cores
/// busy, cores that sleep have to wake, and both sides share the memory. So a line is trusted
/// between two shares that were tried, and beyond them only to say which share to try. Where one
/// side was done first with one share and the other one with another, the next share lies where the
/// two lines through these meet. When that is known within two points, the frame's own time
/// decides, which has more in it than the slower side: gaps between shares are halved where what
/// both sides took at their ends allows a gain.
std::optional<int> next_share(std::span<const ShareTried> tried, const WholesAlone& wholes);

/// The one whose frames took the least time.
const ShareTried& best_share_of(std::span<const ShareTried> tried);

/// What a side takes for a part of the rows near the best share, and exactly there: the lines
/// through it and another that was tried or, where none is ten points away, the whole frame.
Split split_near_best(std::span<const ShareTried> tried, const WholesAlone& wholes);

}  // namespace tandem
