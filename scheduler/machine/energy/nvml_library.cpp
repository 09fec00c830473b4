// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/nvml_library.h"

#include <dlfcn.h>

#include <cstring>
#include <utility>

#include "scheduler/machine/energy/meter.h"

namespace tandem {
namespace {

using Reason = EnergyUnavailable::Reason;

// From nvml.h, whose numbers are stable.
constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr unsigned kNameSize = 96;

}  // namespace

// nvmlPciInfo_t as of nvmlDeviceGetPciInfo_v3.
struct NvmlLibrary::PciInfo {
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char id[32];
};

template <typename Function>
void NvmlLibrary::find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library_, name));
}

NvmlLibrary::NvmlLibrary(const std::string& file)
    : library_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!library_) {
    throw EnergyUnavailable(Reason::absent, "no NVIDIA driver (" + file + ")");
  }
  int (*init)() = nullptr;
  find(init, "nvmlInit_v2");
  find(shutdown_, "nvmlShutdown");
  find(error_string_, "nvmlErrorString");
  find(count_, "nvmlDeviceGetCount_v2");
  find(handle_, "nvmlDeviceGetHandleByIndex_v2");
  find(name_, "nvmlDeviceGetName");
  find(pci_info_, "nvmlDeviceGetPciInfo_v3");
  find(energy_, "nvmlDeviceGetTotalEnergyConsumption");
  find(power_, "nvmlDeviceGetPowerUsage");
  const bool complete = init && shutdown_ && count_ && handle_ && name_;
  const int status = complete ? init() : kSuccess;
  if (complete && status == kSuccess) return;
  const std::string why = complete ? explain(status) : "it lacks functions that every version has";
  dlclose(library_);
  throw EnergyUnavailable(
      Reason::broken, file + ": " + why,
      "Does nvidia-smi work? The driver and its library must be of one version.");
}

NvmlLibrary::~NvmlLibrary() {
  shutdown_();
  dlclose(library_);
}

std::vector<NvmlLibrary::Gpu> NvmlLibrary::gpus() const {
  std::vector<Gpu> found;
  unsigned count = 0;
  if (count_(&count) != kSuccess) return found;
  for (unsigned i = 0; i < count; ++i) {
    Gpu gpu;
    char name[kNameSize] = "";
    if (handle_(i, &gpu.handle) != kSuccess) continue;
    if (name_(gpu.handle, name, kNameSize) != kSuccess) continue;
    gpu.name.assign(name, strnlen(name, kNameSize));
    PciInfo pci{};
    if (pci_info_ && pci_info_(gpu.handle, &pci) == kSuccess) {
      gpu.pci_id.assign(pci.id, strnlen(pci.id, sizeof pci.id));
    }
    found.push_back(std::move(gpu));
  }
  return found;
}

NvmlLibrary::Answer<double> NvmlLibrary::total_energy_j(const Gpu& gpu) const {
  unsigned long long millijoules = 0;
  const int status = energy_ ? energy_(gpu.handle, &millijoules) : kNotSupported;
  if (status != kSuccess) return {{}, explain(status)};
  return {static_cast<double>(millijoules) * 1e-3, {}};
}

NvmlLibrary::Answer<double> NvmlLibrary::power_w(const Gpu& gpu) const {
  unsigned milliwatts = 0;
  const int status = power_ ? power_(gpu.handle, &milliwatts) : kNotSupported;
  if (status != kSuccess) return {{}, explain(status)};
  return {milliwatts * 1e-3, {}};
}

std::string NvmlLibrary::explain(int status) const {
  const char* text = error_string_ ? error_string_(status) : nullptr;
  return text ? text : "NVML error " + std::to_string(status);
}

}  // namespace tandem
