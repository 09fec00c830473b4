// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/opencl/opencl.h"

namespace tandem::opencl {

/// Throws the Error of every function that needs OpenCL, in a build without it.
[[noreturn]] inline void unavailable() {
  throw Error(
      "this build has no OpenCL: install the OpenCL headers and loader and configure with "
      "-Dopencl=enabled to use a device");
}

}  // namespace tandem::opencl
