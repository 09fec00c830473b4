// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/opencl.h"

#include <algorithm>
#include <array>
#include <optional>

#include "files/cache_folder.h"
#include "kernels/program_cache/program_cache.h"
#include "pipelines/formatted.h"
#include "pipelines/tandem/doctor/doctor.h"
#include "pipelines/tandem/doctor/drivers.h"

namespace tandem {
namespace {

using State = Finding::State;
using Json = nlohmann::ordered_json;

constexpr double kMiB = 1024.0 * 1024.0;

std::string describe(const opencl::DeviceDescription& device) {
  return formatted("%s (%s; %s, driver %s): %s, %u compute units, %.0f MiB%s", device.name.c_str(),
                   device.platform.c_str(), device.version.c_str(), device.driver.c_str(),
                   device.is_gpu ? "GPU" : (device.is_cpu ? "CPU" : "accelerator"),
                   device.compute_units, static_cast<double>(device.global_memory_bytes) / kMiB,
                   device.unified_memory ? " shared with the host" : " of its own");
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
    result.add(
        {State::good, "`opencl-device=auto` selects " + name + ": the first GPU or accelerator"});
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
    result.add({State::note,
                "`opencl-device=auto` uses no device: " + data["auto_reason"].get<std::string>(),
                cpu_only ? "Use it anyway with: opencl-device=any" : ""});
  }
}

std::string text_of(const OpenclDriver& driver) {
  return "driver: " +
         (driver.file.empty() ? driver.library : driver.file + " -> " + driver.library);
}

std::string how_to_leave_out(const OpenclDriver& driver, bool chosen) {
  if (driver.file.empty()) return "Set OCL_ICD_VENDORS to another driver, or unset it.";
  const std::string sudo = chosen ? "" : "sudo ";
  return "Leave it out of all programs with: " + sudo + "mv '" + driver.file + "' '" + driver.file +
         ".off'";
}

Finding finding_of(const OpenclDriver& driver, const DriverAnswer& answer, bool chosen,
                   std::chrono::seconds patience) {
  using Kind = DriverAnswer::Kind;
  switch (answer.kind) {
    case Kind::cannot_be_loaded:
      return {State::missing, text_of(driver) + " cannot be loaded: " + answer.text,
              "Install its package again, or remove the file that names it."};
    case Kind::crashes:
      return {State::missing, text_of(driver) + " crashes; it is left out below",
              how_to_leave_out(driver, chosen)};
    case Kind::silent:
      return {State::missing,
              text_of(driver) + " does not answer within " + std::to_string(patience.count()) +
                  " s; it is left out below",
              how_to_leave_out(driver, chosen)};
    case Kind::works:
      break;
  }
  return {State::good, text_of(driver)};
}

const char* name_of(DriverAnswer::Kind kind) {
  constexpr std::array kNames{"works", "cannot be loaded", "crashes", "silent"};  // as the kinds
  return kNames.at(static_cast<std::size_t>(kind));
}

// The drivers that answer; none of them where all do, as the loader then needs no help.
std::optional<std::vector<OpenclDriver>> examine_drivers(Examination& result,
                                                         const OpenclQuestion& question) {
  const OpenclDrivers drivers = find_opencl_drivers(question.icd_folder);
  if (drivers.chosen)
    result.add(
        {State::note, "OCL_ICD_VENDORS=" + drivers.place + " replaces " + question.icd_folder});
  Json files = Json::array();
  std::vector<OpenclDriver> answering;
  bool any_left_out = false;
  for (const OpenclDriver& driver : drivers.list) {
    const DriverAnswer answer = ask_opencl_driver(question.command, driver, question.patience);
    files.push_back(
        {{"file", driver.file}, {"library", driver.library}, {"state", name_of(answer.kind)}});
    result.add(finding_of(driver, answer, drivers.chosen, question.patience));
    if (answer.kind == DriverAnswer::Kind::works) answering.push_back(driver);
    any_left_out |=
        answer.kind == DriverAnswer::Kind::crashes || answer.kind == DriverAnswer::Kind::silent;
  }
  result.data["opencl"]["icd_files"] = std::move(files);
  if (drivers.list.empty()) {
    result.add({State::missing, "no OpenCL driver in " + drivers.place,
                drivers.chosen
                    ? "Unset OCL_ICD_VENDORS, or set it to a folder of .icd files, a .icd file "
                      "or a library."
                    : "For Intel graphics: sudo apt-get install intel-opencl-icd; AMD and "
                      "others: mesa-opencl-icd; "
                      "NVIDIA: nvidia-opencl-icd; to try without a GPU: pocl-opencl-icd"});
  }
  if (!any_left_out) return std::nullopt;
  return answering;
}

std::vector<opencl::DeviceDescription> devices_of(
    const std::optional<std::vector<OpenclDriver>>& only) {
  std::optional<OnlyOpenclDrivers> left;
  if (only) left.emplace(*only);
  return opencl::list_devices();  // the loader reads what it was told once
}

void examine_cache(Examination& result) {
  const ProgramCache cache;
  result.data["cache_folder"] = cache.folder() ? Json(cache_path()) : Json(nullptr);
  if (cache.folder()) {
    result.add({State::good, "compiled programs are cached in " + cache.folder().path()});
  } else {
    result.add(
        {State::missing,
         "compiled programs are not cached, so each start compiles them again: " + cache.problem(),
         "Correct this, or set TANDEM_CACHE_DIR to a folder of your own."});
  }
}

}  // namespace

Examination examine_opencl(const OpenclQuestion& question, const TellFinding& tell) {
  Examination result{.tell = tell};
  const auto only = examine_drivers(result, question);
  Json list = Json::array();
  const std::vector<opencl::DeviceDescription> devices = devices_of(only);
  for (const opencl::DeviceDescription& device : devices) {
    result.add({State::good, describe(device)});
    if (question.verbose) result.add({State::note, device.extensions});
    list.push_back(to_json(device));
  }
  result.data["opencl"]["devices"] = std::move(list);
  if (devices.empty()) {
    result.add({State::note, "no OpenCL device: the CPU computes all stages"});
  }
  examine_choice(result, devices);
  examine_cache(result);
  return result;
}

}  // namespace tandem
