// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// NVIDIA's management library, which comes with the driver: loaded when it is there.
class NvmlLibrary {
 public:
  struct Gpu {
    void* handle = nullptr;
    std::string name;    ///< as OpenCL names it
    std::string pci_id;  ///< "00000000:1A:00.0"; empty when not told
  };
  /// A value, or why there is none.
  template <typename T>
  struct Answer {
    std::optional<T> value;
    std::string error;
  };

  /// Throws EnergyUnavailable.
  explicit NvmlLibrary(const std::string& file = "libnvidia-ml.so.1");
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  /// GPUs that do not answer are left out.
  std::vector<Gpu> gpus() const;
  /// Since the driver was loaded; Volta and newer.
  Answer<double> total_energy_j(const Gpu& gpu) const;
  Answer<double> power_w(const Gpu& gpu) const;

 private:
  template <typename Function>
  void find(Function& function, const char* name);
  std::string explain(int status) const;

  struct PciInfo;
  void* library_ = nullptr;
  int (*shutdown_)() = nullptr;
  const char* (*error_string_)(int) = nullptr;
  int (*count_)(unsigned*) = nullptr;
  int (*handle_)(unsigned, void**) = nullptr;
  int (*name_)(void*, char*, unsigned) = nullptr;
  int (*pci_info_)(void*, PciInfo*) = nullptr;
  int (*energy_)(void*, unsigned long long*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
};

}  // namespace tandem
