// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

/// Host memory of buffers, from the C library: release it with std::free().
namespace tandem::opencl::memory {

/// 64-byte aligned; whole pages from 4 KiB on, huge pages if it is large. Null: out of memory.
void* allocate_host(std::size_t bytes);
/// Like allocate_host(), in whole pages for any size, as page-locking requires.
void* allocate_pages(std::size_t bytes);

/// Makes the system map the pages of fresh memory now, on up to eight threads if it is large. The
/// content is undefined afterwards.
void touch(void* fresh, std::size_t bytes) noexcept;

}  // namespace tandem::opencl::memory
