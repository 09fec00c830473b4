// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <memory>

#include "kernels/opencl/opencl.h"

namespace tandem {

/// Returns an allocator of host memory that is page-locked for `context`, so that its device copies
/// frames from there at full speed. Beyond the limit it allocates ordinary memory. Null: the device
/// copies ordinary memory as fast, or the limit is 0. Thread-safe.
///
/// The allocator keeps freed memory for the next request of its size, because locking pages takes
/// longer than a frame. Memory holds a reference to the allocator, and the allocator one to the
/// context.
///
/// The limit for all allocators together is TANDEM_PAGE_LOCKED_MIB of the environment, otherwise a
/// 32nd of the memory and at most 256 MiB.
ObjectRef<GstAllocator> make_page_locked_allocator(std::shared_ptr<opencl::Context> context);

/// Whether the first memory of a buffer is page-locked memory of such an allocator.
bool is_page_locked(GstBuffer* buffer);

}  // namespace tandem
