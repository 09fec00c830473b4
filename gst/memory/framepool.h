// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <functional>

namespace tandem {

/// Returns the allocator for frames of `bytes`, or null if ordinary memory is as fast.
using AllocatorFor = std::function<ObjectRef<GstAllocator>(gsize bytes)>;

/// Offers upstream a pool of video frames, and its allocator, ahead of the offers that downstream
/// added to the answered ALLOCATION query. Returns false and leaves the query as it is if there is
/// no allocator, or if the caps give no frame size.
///
/// Only some memory of the allocator is page-locked (pagelocked.h). The pool therefore hands out
/// the page-locked buffer that was returned last, and ordinary memory if there is none. A
/// GstVideoBufferPool cycles through all buffers that it ever allocated: once many frames have been
/// in flight, most frames would arrive in ordinary memory. A pool whose configuration limits the
/// number of buffers cycles as well.
bool offer_frame_pool(GstQuery* query, const AllocatorFor& allocator_for);

}  // namespace tandem
