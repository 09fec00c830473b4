// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <exception>

#include "files/error_text.h"
#include "kernels/opencl/opencl.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// Runs `body` and turns what it throws into a Status: the one place where exceptions end on the
/// frame path. A failed OpenCL call means that the CPU can still do it.
template <typename Body>
Status guard(Body&& body) {
  try {
    return body();
  } catch (const opencl::Error& e) {
    return Status::device_failed(e.what(), e.device());
  } catch (const std::exception& e) {
    return Status::failed(error_text(e));
  }
}

}  // namespace tandem
