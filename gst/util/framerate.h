// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

namespace tandem {

/// The shortest plausible interval of frames, that of 10 000 frames/s. Streams of variable rate
/// state the rate of their clock instead: 90 kHz with RTP and MPEG-TS, 1 GHz from x264enc.
constexpr uint64_t kShortestInterval_ns = 100'000;

}  // namespace tandem
