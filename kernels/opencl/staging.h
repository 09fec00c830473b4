// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/opencl/memory.h"

namespace tandem::opencl {

/// Page-locked memory for copies between host and device of data that both sides are overwriting.
/// Reused after all enqueued commands are done. One thread at a time.
class Staging {
 public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { release(); }

  /// Null if too little is free while the rest is in use; the next reuse enlarges it.
  std::byte* take(Context& context, int device, std::size_t bytes) {
    wanted_ = std::max(wanted_, used_ + bytes);
    if (used_ == 0 && wanted_ > bytes_) grow(context, device);
    if (used_ + bytes > bytes_) return nullptr;
    std::byte* const begin = (pinned_.host ? static_cast<std::byte*>(pinned_.host) : plain_.data());
    return begin + std::exchange(used_, used_ + bytes);
  }
  void reuse() { used_ = 0; }
  void release() {
    if (pinned_.mem != nullptr) memory::release_pinned(pinned_);
    pinned_ = {};
    bytes_ = 0;
  }

 private:
  void grow(Context& context, int device) {
    release();
    pinned_ = memory::create_pinned(context, device, wanted_);
    if (pinned_.host == nullptr) plain_.resize(wanted_);
    bytes_ = wanted_;
    ++counters().buffers_created;
  }

  memory::Pinned pinned_;
  std::vector<std::byte> plain_;  // if page-locked memory has no gain
  std::size_t bytes_ = 0, used_ = 0, wanted_ = 0;
};

}  // namespace tandem::opencl
