// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <cstddef>
#include <memory>

#include "kernels/opencl/opencl.h"

namespace tandem {

/// An allocator of host memory that is page-locked for `context`, so that its device copies frames
/// from there at full speed; ordinary memory when there is none left. Memory that is freed stays
/// with the allocator for the next request of its size, because locking pages takes longer than a
/// frame. Memory keeps the allocator, and that the context: both may outlive who made them. Null
/// when the device has no use for it or the bound is 0. Thread-safe.
///
/// All allocators together lock TANDEM_PAGE_LOCKED_MIB, as the environment says when this is
/// called; else a 32nd of the memory, 256 MiB at most.
ObjectRef<GstAllocator> make_page_locked_allocator(std::shared_ptr<opencl::Context> context);

/// Whether the first memory of a buffer is page-locked memory of such an allocator.
bool is_page_locked(GstBuffer* buffer);

}  // namespace tandem
