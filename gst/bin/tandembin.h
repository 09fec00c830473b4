// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>

#include "gst/bin/run.h"

/// A bin that contains a chain of stages and decides on which device each stage of each frame is
/// computed. Events and queries pass the pads of the children, frames pass the executor.
GType gst_tandem_bin_get_type();

namespace tandem::bin {

// For the functions of a tandembin's pads.
std::shared_ptr<Run> run_of(GstObject* bin);  ///< null outside PAUSED and PLAYING
GstPad* sink_of(GstObject* bin);
GstPad* src_of(GstObject* bin);

}  // namespace tandem::bin
