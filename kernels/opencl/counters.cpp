// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/opencl.h"

namespace tandem::opencl {

Counters& counters() {
  static Counters instance;
  return instance;
}

}  // namespace tandem::opencl
