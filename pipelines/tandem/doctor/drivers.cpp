// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/doctor/drivers.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files/ascii.h"
#include "files/temporary_folder.h"
#include "kernels/opencl/opencl.h"
#include "kernels/stage_file/run/child_process.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVendors = "OCL_ICD_VENDORS";
// Another loader's list of libraries, which it adds.
constexpr const char* kFilenames = "OCL_ICD_FILENAMES";
constexpr int kCannotBeLoaded = 3;  // exit status of the process that asks

std::string first_line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && is_ascii_space(line.back())) line.pop_back();
  return line;
}

std::string last_line_of(std::string text) {
  while (!text.empty() && is_ascii_space(text.back())) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

OpenclDrivers find_opencl_drivers(const std::string& system_folder) {
  const char* named = std::getenv(kVendors);
  OpenclDrivers drivers{system_folder, named != nullptr && *named != '\0', {}};
  if (drivers.chosen) drivers.place = named;
  const fs::path place(drivers.place);
  std::error_code error;
  if (drivers.chosen && !fs::is_directory(place, error)) {
    const bool file = place.extension() == ".icd";
    if (!file) drivers.list.push_back({"", drivers.place});
    if (file && fs::exists(place, error))
      drivers.list.push_back({drivers.place, first_line_of(place)});
    return drivers;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
    if (entry.path().extension() == ".icd")
      drivers.list.push_back({entry.path().string(), first_line_of(entry.path())});
  }
  std::ranges::sort(drivers.list, {}, &OpenclDriver::file);
  return drivers;
}

DriverAnswer ask_opencl_driver(const std::string& command, const OpenclDriver& driver,
                               std::chrono::seconds patience) {
  using Kind = DriverAnswer::Kind;
  const ChildResult said = run_child(
      {command, "doctor", kAskDriver, driver.library, std::to_string(patience.count())}, patience);
  if (said.timed_out) return {Kind::silent, ""};
  if (said.status == kCannotBeLoaded) return {Kind::cannot_be_loaded, last_line_of(said.reason())};
  return {said.status == 0 ? Kind::works : Kind::crashes, ""};
}

void answer_for_opencl_driver(const std::string& library, const std::string& seconds) {
  // Ctrl-C ends the process that asks: this one must not wait for ever.
  alarm(static_cast<unsigned>(leading_number(seconds)) + 1);
  if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    const char* const why = dlerror();
    std::puts(why ? why : "the loader reports no reason");
    std::fflush(stdout);
    std::_Exit(kCannotBeLoaded);
  }
  setenv(kVendors, library.c_str(), 1);
  setenv(kFilenames, library.c_str(), 1);
  (void)opencl::list_devices();
  std::_Exit(0);  // what a driver does at the end is of no interest
}

OnlyOpenclDrivers::OnlyOpenclDrivers(const std::vector<OpenclDriver>& drivers)
    : folder_(make_temporary_folder("tandem-drivers")) {
  int number = 0;
  for (const OpenclDriver& driver : drivers)
    std::ofstream(folder_ + "/" + std::to_string(number++) + ".icd") << driver.library << '\n';
  setenv(kVendors, folder_.c_str(), 1);
  unsetenv(kFilenames);
}

OnlyOpenclDrivers::~OnlyOpenclDrivers() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace tandem
