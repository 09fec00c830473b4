// SPDX-License-Identifier: LGPL-2.1-or-later
#include <mutex>

#include "files/hash.h"
#include "kernels/opencl/native.h"
#include "kernels/program_cache/program_cache.h"

namespace tandem::opencl {

namespace {

std::string cache_key(const cl::Device& device, const DeviceDescription& description,
                      const std::string& source, const std::string& options) {
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  return "OpenCL\n" + description.name + '\n' + description.driver + '\n' +
         platform.getInfo<CL_PLATFORM_VERSION>() + '\n' + description.version + '\n' + options +
         '\n' + std::to_string(source.size()) + ':' + std::to_string(hash_of(source));
}

/// Null: the cache has none that the driver accepts.
cl::Program from_cache(const NativeDevice& native, const ProgramCache& cache,
                       const std::string& key, const std::string& options) {
  const std::string binary = cache.load(key);
  if (binary.empty()) return {};
  try {
    cl::Program program(native.context, {native.device}, {{binary.begin(), binary.end()}});
    program.build({native.device}, options.c_str());
    return program;
  } catch (const cl::Error&) {
    return {};
  }
}

/// The binary for this device: a program of an application's context has one for each of its
/// devices.
std::vector<unsigned char> binary_of(const cl::Program& program, const cl::Device& device) {
  const auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
  const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  for (std::size_t i = 0; i < devices.size() && i < binaries.size(); ++i) {
    if (devices[i]() == device()) return binaries[i];
  }
  return {};
}

cl::Program from_source(const NativeDevice& native, const std::string& source,
                        const std::string& options) {
  cl::Program program(native.context, source);
  program.build({native.device}, options.c_str());
  return program;
}

void store(const cl::Program& program, const cl::Device& device, const ProgramCache& cache,
           const std::string& key) {
  try {
    const std::vector<unsigned char> binary = binary_of(program, device);
    cache.store(key, {binary.begin(), binary.end()});
  } catch (const cl::Error&) {
    // A driver without binaries only costs the next start its compile time.
  }
}

/// PoCL keeps what it compiles in a cache of its own. A binary of PoCL's has each kernel for
/// groups of any size besides, which takes as long to compile as the form that runs, and is never
/// used.
bool keeps_programs(const DeviceDescription& description) {
  return description.is_cpu && description.platform == "Portable Computing Language";
}

cl::Program build(NativeDevice& native, const DeviceDescription& description,
                  const std::string& source, const std::string& options) {
  // Different programs are built side by side.
  std::unique_lock finding(native.programs_mutex);
  NativeDevice::Built& built = native.programs[options + '\n' + source];
  finding.unlock();
  const std::lock_guard lock(built.building);
  cl::Program& program = built.program;
  if (program() != nullptr) return program;
  try {
    if (keeps_programs(description)) {
      program = from_source(native, source, options);
    } else {
      const std::string key = cache_key(native.device, description, source, options);
      const ProgramCache cache;
      program = from_cache(native, cache, key, options);
      if (program() != nullptr) {
        ++counters().programs_cached;
      } else {
        program = from_source(native, source, options);
        store(program, native.device, cache, key);
      }
    }
    ++counters().programs_built;
    return program;
  } catch (const cl::BuildError& error) {
    std::string log;
    for (const auto& [device, said] : error.getBuildLog()) log += "\n" + said;
    if (log.find_first_not_of(" \t\r\n") == log.npos) log = " its compiler gives no reason";
    throw ProgramError("an OpenCL program does not compile for " + description.name + " with \"" +
                           options + "\":" + log,
                       log);
  } catch (const cl::Error& error) {
    throw Error("cannot build an OpenCL program: " + describe(error));
  }
}

}  // namespace

Program build_program(Context& context, const std::string& source, const std::string& options) {
  const std::string all = "-cl-std=CL1.2" + options;
  Program::Native programs;
  for (const auto& device : context.native().devices)
    programs.each.push_back(build(*device, context.device(), source, all));
  return {std::make_shared<const Program::Native>(std::move(programs))};
}

}  // namespace tandem::opencl
