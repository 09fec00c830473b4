// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>

namespace tandem::test {

/// What the stand-in for NVIDIA's library answers. Status codes are NVML's: 0 is success.
struct NvmlStandIn {
  struct Gpu {
    char name[64];
    char pci_id[32];
    std::atomic<int> energy_status, power_status;
    std::atomic<unsigned long long> energy_mj;
    std::atomic<unsigned> power_mw;
  };
  static constexpr unsigned kMostGpus = 3;
  int init_status;
  unsigned count;
  Gpu gpus[kMostGpus];
  std::atomic<int> users;  ///< nvmlInit less nvmlShutdown
};

constexpr int kNvmlNotSupported = 3;
constexpr int kNvmlDriverNotLoaded = 9;
constexpr int kNvmlGpuIsLost = 15;

}  // namespace tandem::test
