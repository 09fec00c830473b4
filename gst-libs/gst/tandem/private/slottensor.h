// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/tensorspec.h>

#include "kernels/opencl/opencl.h"

namespace tandem {

/// A tensor of one frame.
struct SlotTensor {
  TensorSpec spec;
  GstMemory* memory = nullptr;       ///< borrowed
  opencl::Buffer* buffer = nullptr;  ///< the content of the memory
};

}  // namespace tandem
