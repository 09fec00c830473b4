// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include "kernels/opencl/opencl.h"

namespace tandem {

/// GstAllocator::mem_type of page-locked memory, of which a device copies at full speed.
inline constexpr char kPageLockedType[] = "TandemPageLocked";

/// Whether take_luma() does better without a copy on the host: all but small frames in page-locked
/// memory, where a thread takes several times as long as the device to put them
/// there.
bool takes_luma_from_device(const GstVideoFrame& video);

/// Puts packed rows of 8-bit luma into a frame that is mapped for writing, and waits: from the host
/// side of `from` if that has them, or else from the device, mostly without a copy on the host.
/// Throws opencl::Error, after which the frame is what it was unless the device was lost meanwhile.
void take_luma(opencl::Buffer& from, const GstVideoFrame& video);

}  // namespace tandem
