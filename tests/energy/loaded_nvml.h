// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <stdexcept>

#include "tests/energy/nvml_stand_in.h"

namespace tandem::test {

/// The stand-in, loaded and with `count` GPUs that work.
class LoadedNvml {
 public:
  explicit LoadedNvml(unsigned count = 1) : library_(dlopen(path(), RTLD_NOW)) {
    if (!library_) throw std::runtime_error(dlerror());
    const auto find = reinterpret_cast<NvmlStandIn* (*)()>(dlsym(library_, "tandem_nvml_stand_in"));
    state_ = find();
    state_->init_status = 0;
    state_->count = count;
    for (unsigned i = 0; i < NvmlStandIn::kMostGpus; ++i) {
      NvmlStandIn::Gpu& gpu = state_->gpus[i];
      std::snprintf(gpu.name, sizeof gpu.name, "NVIDIA H200");
      std::snprintf(gpu.pci_id, sizeof gpu.pci_id, "00000000:%X3:00.0", i + 1);
      gpu.energy_status = gpu.power_status = 0;
      gpu.energy_mj = 5'000'000'000;  // weeks of work
      gpu.power_mw = 120'000;
    }
  }
  ~LoadedNvml() { dlclose(library_); }
  LoadedNvml(const LoadedNvml&) = delete;
  LoadedNvml& operator=(const LoadedNvml&) = delete;

  static const char* path() { return TANDEM_NVML_STAND_IN; }
  NvmlStandIn* operator->() { return state_; }

 private:
  void* library_;
  NvmlStandIn* state_;
};

}  // namespace tandem::test
