// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace tandem::bin {

/// Installs the functions of tandembin's pads. Buffers go to the executor, and a task on the source
/// pad pushes them. Serialized events keep their place between frames and travel through the
/// children. Events that change the handling of frames wait until no frame is in flight.
void equip_sink(GstPad* pad);
void equip_src(GstPad* pad);

/// Starts the task of the bin's source pad.
void start_pushing(GstObject* bin);

}  // namespace tandem::bin
