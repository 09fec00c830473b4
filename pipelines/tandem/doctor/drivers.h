// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tandem {

/// An OpenCL driver that the loader loads.
struct OpenclDriver {
  std::string file;     ///< the .icd file that names the library; empty: OCL_ICD_VENDORS does
  std::string library;  ///< a path, or a name for the dynamic linker
};

struct OpenclDrivers {
  std::string place;    ///< the folder, file or library in which drivers are looked for
  bool chosen = false;  ///< by OCL_ICD_VENDORS instead of the system
  std::vector<OpenclDriver> list;
};

/// The drivers that the loader of this process will load. OCL_ICD_VENDORS names a folder of .icd
/// files, one such file, or a library; `system_folder` is taken where it is not set.
OpenclDrivers find_opencl_drivers(const std::string& system_folder);

struct DriverAnswer {
  enum class Kind { works, cannot_be_loaded, crashes, silent };
  Kind kind = Kind::works;
  std::string text;  ///< the reason why it cannot be loaded
};

/// Queries the driver in a separate process of `command`, a path of this program, because a driver
/// may crash or never answer.
DriverAnswer ask_opencl_driver(const std::string& command, const OpenclDriver& driver,
                               std::chrono::seconds patience);

/// The word that makes `tandem doctor` that process; a driver's library and the seconds follow.
inline constexpr const char* kAskDriver = "--ask-driver";
[[noreturn]] void answer_for_opencl_driver(const std::string& library, const std::string& seconds);

/// While this lives, the loader finds these drivers alone. For before the first call of OpenCL.
class OnlyOpenclDrivers {
 public:
  /// Throws std::runtime_error when no folder can be made.
  explicit OnlyOpenclDrivers(const std::vector<OpenclDriver>& drivers);
  ~OnlyOpenclDrivers();
  OnlyOpenclDrivers(const OnlyOpenclDrivers&) = delete;
  OnlyOpenclDrivers& operator=(const OnlyOpenclDrivers&) = delete;

 private:
  const std::string folder_;
};

}  // namespace tandem
