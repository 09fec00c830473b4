// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include "kernels/opencl/opencl.h"

namespace tandem {

/// GstAllocator::mem_type of page-locked memory, which a device copies at full speed.
inline constexpr char kPageLockedType[] = "TandemPageLocked";

/// Whether take_luma() is faster without a copy on the host. True for page-locked frames that are
/// not small: there a thread takes several times as long as the device.
bool takes_luma_from_device(const GstVideoFrame& video);

/// Copies packed rows of 8-bit luma into a frame that is mapped for writing, and waits. The source
/// is the host side of `from` if it is up to date, else the device. Throws opencl::Error; the frame
/// is then unchanged, unless the device was lost meanwhile.
void take_luma(opencl::Buffer& from, const GstVideoFrame& video);

}  // namespace tandem
