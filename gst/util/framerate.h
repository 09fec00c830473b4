// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

namespace tandem {

/// The shortest time from frame to frame that is taken for one, in ns: 10 000 frames a second.
/// Streams of a variable rate state the rate of their clock instead: 90 000 is that of RTP and
/// MPEG-TS, and x264enc writes 10^9 where its input has no rate.
constexpr uint64_t kShortestInterval_ns = 100'000;

}  // namespace tandem
