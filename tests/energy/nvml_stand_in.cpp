// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/energy/nvml_stand_in.h"

#include <cstdio>

// The functions of NVIDIA's library that are used, by their names there.
#define NVML_FUNCTION extern "C" __attribute__((visibility("default")))

using tandem::test::NvmlStandIn;
using Gpu = NvmlStandIn::Gpu;

namespace {

constexpr int kInvalidArgument = 2;
NvmlStandIn state;

struct PciInfo {  // nvmlPciInfo_t
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char id[32];
};

}  // namespace

/// Where tests say what the others answer.
NVML_FUNCTION NvmlStandIn* tandem_nvml_stand_in() { return &state; }

NVML_FUNCTION int nvmlInit_v2() {
  if (state.init_status == 0) ++state.users;
  return state.init_status;
}

NVML_FUNCTION int nvmlShutdown() {
  --state.users;
  return 0;
}

NVML_FUNCTION const char* nvmlErrorString(int status) {
  switch (status) {
    case tandem::test::kNvmlNotSupported:
      return "Not Supported";
    case tandem::test::kNvmlDriverNotLoaded:
      return "Driver Not Loaded";
    case tandem::test::kNvmlGpuIsLost:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

NVML_FUNCTION int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = state.count;
  return 0;
}

NVML_FUNCTION int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index >= state.count) return kInvalidArgument;
  *device = &state.gpus[index];
  return 0;
}

NVML_FUNCTION int nvmlDeviceGetName(void* device, char* name, unsigned size) {
  std::snprintf(name, size, "%s", static_cast<Gpu*>(device)->name);
  return 0;
}

NVML_FUNCTION int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  std::snprintf(info->id, sizeof info->id, "%s", static_cast<Gpu*>(device)->pci_id);
  return 0;
}

NVML_FUNCTION int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* energy_mj) {
  *energy_mj = static_cast<Gpu*>(device)->energy_mj;
  return static_cast<Gpu*>(device)->energy_status;
}

NVML_FUNCTION int nvmlDeviceGetPowerUsage(void* device, unsigned* power_mw) {
  *power_mw = static_cast<Gpu*>(device)->power_mw;
  return static_cast<Gpu*>(device)->power_status;
}
