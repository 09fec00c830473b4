// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <span>

#include "model/measurements.h"

namespace tandem {

/// Times of frames with one share of the rows on the cores.
struct ShareTried {
  int percent = 0;             ///< 1 ... 99
  double cores_s = kUnknown;   ///< until the cores were done with their rows
  double device_s = kUnknown;  ///< until the device was
  double frame_s = kUnknown;   ///< from the begin of a frame to its end
};

/// The time of each side for all rows alone.
struct WholesAlone {
  double cores_s = kUnknown, device_s = kUnknown;
};

/// Most shares that a search tries.
inline constexpr int kMostShares = 8;

/// The share to try next, in percent; none where no other share promises a notable gain. Pure.
/// `tried`: in any order, at least one.
///
/// Neither a fixed time nor the time of a row holds for all shares. Few rows do not keep all cores
/// busy, sleeping cores have to wake, and both sides share the memory. So a line is trusted between
/// two shares that were tried, and beyond them only to find the share to try. If each side was done
/// first with one of two shares, the next share lies where the two lines through these meet. When
/// that is known within two points, the frame's own time decides, as it includes more than the
/// slower side. Gaps between shares are halved where the times of both sides at their ends allow a
/// gain.
std::optional<int> next_share(std::span<const ShareTried> tried, const WholesAlone& wholes);

/// The one whose frames took the least time.
const ShareTried& best_share_of(std::span<const ShareTried> tried);

/// The times of both sides at the best share and near it. They are lines through it and another
/// share that was tried or, where none is ten points away, the whole frame.
Split split_near_best(std::span<const ShareTried> tried, const WholesAlone& wholes);

}  // namespace tandem
