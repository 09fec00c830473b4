// SPDX-License-Identifier: LGPL-2.1-or-later
// The mark on a frame that a stage has left out: see the property `interval`. A stage behind that
// misses its input passes such a frame; without the mark a missing input is an error.
#pragma once

#include <gst/gst.h>

namespace tandem {

/// Marks a writable buffer. A second mark changes nothing.
void mark_left_out(GstBuffer* buffer);
bool is_marked_left_out(GstBuffer* buffer);

}  // namespace tandem
