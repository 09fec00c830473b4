// SPDX-License-Identifier: LGPL-2.1-or-later
// An OpenCL driver that does not answer, as one whose device hangs; with TANDEM_DRIVER_CRASHES one
// that crashes.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

int wait_for_ever(unsigned, void*, unsigned*) {
  if (std::getenv("TANDEM_DRIVER_CRASHES") != nullptr) std::abort();
  for (;;) pause();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int clIcdGetPlatformIDsKHR(unsigned, void*, unsigned*) {
  return wait_for_ever(0, nullptr, nullptr);
}
int clGetPlatformIDs(unsigned, void*, unsigned*) { return wait_for_ever(0, nullptr, nullptr); }
int clGetPlatformInfo(void*, unsigned, size_t, void*, size_t*) {
  return wait_for_ever(0, nullptr, nullptr);
}

void* clGetExtensionFunctionAddress(const char* name) {
  const bool asked = std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0;
  return asked ? reinterpret_cast<void*>(&clIcdGetPlatformIDsKHR) : nullptr;
}
}
#pragma GCC visibility pop
