// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace tandem::bin {

/// Frames and control on tandembin's pads: buffers go to the executor, a task on the source pad
/// pushes them on. Serialized events keep their place between the frames and travel through the
/// children; those that change what is done with frames wait until none is in flight.
void equip_sink(GstPad* pad);
void equip_src(GstPad* pad);

/// Starts the task of the bin's source pad.
void start_pushing(GstObject* bin);

}  // namespace tandem::bin
