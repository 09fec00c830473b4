// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include "gst/util/ref.h"

namespace tandem {

/// A pool of video frames for an allocator that has page-locked memory for some of them alone
/// (pagelocked.h). The buffer that comes next is a page-locked one if there is any, that which came
/// back last. A GstVideoBufferPool hands out all that it has ever made in turn: where many frames
/// were in flight once most of them are in ordinary memory for good. Where the configuration names
/// a largest number of buffers this pool does the same.
ObjectRef<GstBufferPool> make_frame_pool();

}  // namespace tandem
