// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>

#include "gst/bin/run.h"

/// A bin that holds a chain of stages and decides where each stage of each frame is computed.
/// Control (events, queries) goes along the pads of the children; frames go through the executor.
GType gst_tandem_bin_get_type();

namespace tandem::bin {

// What a tandembin's pads ask of it.
std::shared_ptr<Run> run_of(GstObject* bin);  ///< null outside PAUSED and PLAYING
GstPad* sink_of(GstObject* bin);
GstPad* src_of(GstObject* bin);

}  // namespace tandem::bin
