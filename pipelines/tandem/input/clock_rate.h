// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace tandem {

/// Where the caps that pass the sink pad `pad` state the rate of a clock (framerate.h), they state
/// none from here on. Durations that were computed from it are removed, and so are times. Call it
/// once, before the pad's streaming.
void drop_clock_rate(GstPad* pad);

}  // namespace tandem
