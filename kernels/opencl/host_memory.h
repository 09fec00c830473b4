// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

/// The host's memory of buffers. It is the C library's: std::free() gives it back.
namespace tandem::opencl::memory {

/// 64-byte aligned; whole pages from 4 KiB on, huge ones where it is large. Null: there is none.
void* allocate_host(std::size_t bytes);
/// The same in whole pages always, as what is to be page-locked has to be.
void* allocate_pages(std::size_t bytes);

/// Has the system give fresh memory its pages now, by several threads where it is large: eight at
/// most. The content is undefined then.
void touch(void* fresh, std::size_t bytes) noexcept;

}  // namespace tandem::opencl::memory
