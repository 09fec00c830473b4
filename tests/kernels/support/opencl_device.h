// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "kernels/opencl/opencl.h"

namespace tandem::opencl {

/// The device that tests and benches use: TANDEM_OPENCL_DEVICE chooses one, else any. Null when
/// nothing was chosen and this machine has none; throws Error when what was chosen is not there.
inline std::shared_ptr<Context> test_context() {
  const char* chosen = std::getenv("TANDEM_OPENCL_DEVICE");
  if (chosen == nullptr && list_devices().empty()) return nullptr;
  return Context::open(chosen == nullptr ? "any" : chosen);
}

}  // namespace tandem::opencl

/// In a GoogleTest test: skips it with a reason when there is no device.
#define TANDEM_SKIP_WITHOUT_DEVICE(context) \
  if (!(context)) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)"
