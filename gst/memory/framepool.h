// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

namespace tandem {

/// A pool of video frames, for an allocator that locks the pages of some of them (pagelocked.h). It
/// hands out the page-locked buffer that came back last, and others when there is none. A
/// GstVideoBufferPool hands out all buffers that it ever made in turn: after many frames were in
/// flight once, most come in ordinary memory. So does this pool where its configuration bounds the
/// number of buffers.
ObjectRef<GstBufferPool> make_frame_pool();

}  // namespace tandem
