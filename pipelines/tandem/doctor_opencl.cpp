// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files/cache_folder.h"
#include "kernels/opencl/opencl.h"
#include "pipelines/tandem/doctor.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;
using Json = nlohmann::ordered_json;

constexpr double kMiB = 1024.0 * 1024.0;

std::string describe(const opencl::DeviceDescription& device) {
  char text[512];
  std::snprintf(text, sizeof text, "%s (%s; %s, driver %s): %s, %u compute units, %.0f MiB%s",
                device.name.c_str(), device.platform.c_str(), device.version.c_str(),
                device.driver.c_str(),
                device.is_gpu ? "GPU" : (device.is_cpu ? "CPU" : "accelerator"),
                device.compute_units, static_cast<double>(device.global_memory_bytes) / kMiB,
                device.unified_memory ? " shared with the host" : " of its own");
  return text;
}

Json to_json(const opencl::DeviceDescription& device) {
  return {{"name", device.name},
          {"vendor", device.vendor},
          {"platform", device.platform},
          {"version", device.version},
          {"driver", device.driver},
          {"kind", device.is_gpu ? "gpu" : (device.is_cpu ? "cpu" : "accelerator")},
          {"unified_memory", device.unified_memory},
          {"compute_units", device.compute_units},
          {"max_work_group", device.max_work_group},
          {"global_memory_bytes", device.global_memory_bytes},
          {"local_memory_bytes", device.local_memory_bytes},
          {"extensions", device.extensions}};
}

void examine_choice(Examination& result, const std::vector<opencl::DeviceDescription>& devices) {
  Json& data = result.data["opencl"];
  try {
    const std::string name = opencl::Context::open("auto")->device().name;
    data["auto"] = name;
    data["auto_reason"] = "the first GPU or accelerator";
    result.findings.push_back(
        {State::good, "`opencl-device=auto` takes " + name + ": the first GPU or accelerator"});
  } catch (const opencl::Error& error) {
    data["auto"] = nullptr;
    if (devices.empty()) {
      data["auto_reason"] = "there is no OpenCL device";
      return;
    }
    const bool cpu_only = std::all_of(devices.begin(), devices.end(),
                                      [](const auto& device) { return device.is_cpu; });
    data["auto_reason"] =
        cpu_only ? "a CPU device shares the cores that the CPU path needs" : error.what();
    result.findings.push_back(
        {State::note, "`opencl-device=auto` takes none: " + data["auto_reason"].get<std::string>(),
         cpu_only ? "Use it all the same with: opencl-device=any" : ""});
  }
}

void examine_icds(Examination& result, const std::string& folder, bool any_device) {
  Json files = Json::array();
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::ifstream file(entry.path());
    std::string library;
    std::getline(file, library);
    files.push_back({{"file", entry.path().string()}, {"library", library}});
    result.findings.push_back({State::good, "driver: " + entry.path().string() + " -> " + library});
  }
  if (const char* vendors = std::getenv("OCL_ICD_VENDORS")) {
    result.findings.push_back({State::note, std::string("OCL_ICD_VENDORS=") + vendors});
  }
  if (files.empty() && !any_device) {
    result.findings.push_back({State::missing, "no OpenCL driver in " + folder,
                               "For Intel graphics: sudo apt-get install intel-opencl-icd; AMD and "
                               "others: mesa-opencl-icd; "
                               "NVIDIA: nvidia-opencl-icd; to try without a GPU: pocl-opencl-icd"});
  }
  result.data["opencl"]["icd_files"] = std::move(files);
}

void examine_cache(Examination& result) {
  const std::string folder = cache_folder();
  result.data["cache_folder"] = folder.empty() ? Json(nullptr) : Json(folder);
  if (!folder.empty()) {
    result.findings.push_back({State::good, "OpenCL programs are cached in " + folder});
  } else {
    result.findings.push_back(
        {State::missing, "no folder for the cache of OpenCL programs: each start builds them again",
         "Set XDG_CACHE_HOME to a folder that can be written."});
  }
}

}  // namespace

Examination examine_opencl(bool verbose, const std::string& icd_folder) {
  Examination result{"OpenCL", {}, {}};
  Json list = Json::array();
  const std::vector<opencl::DeviceDescription> devices = opencl::list_devices();
  for (const opencl::DeviceDescription& device : devices) {
    result.findings.push_back({State::good, describe(device)});
    if (verbose) result.findings.push_back({State::note, device.extensions});
    list.push_back(to_json(device));
  }
  result.data["opencl"]["devices"] = std::move(list);
  if (devices.empty()) {
    result.findings.push_back({State::note, "no OpenCL device: everything runs on the CPU"});
  }
  examine_choice(result, devices);
  examine_icds(result, icd_folder, !devices.empty());
  examine_cache(result);
  return result;
}

}  // namespace tandem
