// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "kernels/opencl/opencl.h"
#include "kernels/opencl/pace.h"

/// The OpenCL objects behind opencl.h, for the files that enqueue kernels.
namespace tandem::opencl {

struct Context::Native {
  cl::Context context;
  cl::Device device;
  DeviceDescription description;
  bool has_local_memory = false;  // of its own; CPUs and some GPUs take it from global memory

  std::mutex transfer_mutex;  // guards `transfer`; nothing else is locked under it
  cl::CommandQueue transfer;  // for blocking copies of a thread that has no queue of its own

  std::mutex programs_mutex;  // held while a program is built; nothing else is locked under it
  std::map<std::string, cl::Program> programs;  // by options and source
};

struct Queue::Native {
  cl::CommandQueue queue;
  /// For kernels whose last work-group goes on with what all have written: how many are done. Of
  /// the queue, whose kernels follow each other; made when first needed.
  cl::Buffer group_counter;

  /// After a kernel was enqueued; throws Error. See Queue::pace.
  void keep_pace();
  const std::atomic<bool>* stop = nullptr;  ///< null: no pace is kept
  Pace pace;
  std::chrono::steady_clock::time_point piece_began;
};

/// "clFinish: CL_OUT_OF_RESOURCES (-5)".
std::string describe(const cl::Error& error);

/// Makes a description of a device; throws cl::Error.
DeviceDescription describe_device(const cl::Device& device);

/// Calls into the runtime and turns its exceptions into Error, "cannot <what>: ...".
template <typename Call>
auto checked(std::string_view what, Call&& call) {
  try {
    return call();
  } catch (const cl::Error& error) {
    throw Error("cannot " + std::string(what) + ": " + describe(error));
  }
}

/// True when fail_after() wants the command or wait that is about to be made to fail.
bool fault_is_due();

/// Enqueues one command. When it throws Error, whatever was enqueued before it is done or lost: the
/// memory that those commands use is the caller's again.
template <typename Call>
void command(cl::CommandQueue& queue, const char* what, Call&& call) {
  try {
    if (fault_is_due()) throw cl::Error(CL_OUT_OF_RESOURCES, "fault injected by a test");
    call();
  } catch (const cl::Error& error) {
    clFinish(queue());
    throw Error(std::string("cannot ") + what + ": " + describe(error));
  }
}

/// The program, from the memory of the context, the cache on disk or the compiler. Throws Error
/// with the compiler's messages.
cl::Program build_program(Context& context, const std::string& source, const std::string& options);

/// A kernel argument: this many bytes of local memory for each work-group.
struct LocalMemory {
  std::size_t bytes = 0;
};

inline std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// A kernel and the limits of its work-groups. Thread-safe: arguments belong to the kernel until it
/// is enqueued, so one thread at a time sets and enqueues.
class Kernel {
 public:
  Kernel(Context& context, const cl::Program& program, const char* name);

  /// The most work-items of a group, with the registers that this kernel takes on this device.
  std::size_t max_group() const { return max_group_; }
  /// Work-items of a group: at most `wanted` and what this kernel may have on this device, and a
  /// multiple of what runs in step there (warp, wavefront) when that is within these.
  std::size_t group_size(std::size_t wanted) const;

  /// Arguments are scalars of the kernel's types, cl_mem or LocalMemory; throws Error.
  template <typename... Arguments>
  void enqueue(Queue& queue, std::size_t global, std::size_t local, const Arguments&... arguments) {
    cl::CommandQueue& commands = queue.native().queue;
    command(commands, name_, [&] {
      const std::lock_guard lock(*mutex_);
      cl_uint position = 0;
      (set(position++, arguments), ...);
      commands.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(global),
                                    cl::NDRange(local));
    });
    if (queue.native().stop) queue.native().keep_pace();
  }

 private:
  template <typename Argument>
  void set(cl_uint position, const Argument& argument) {
    kernel_.setArg(position, sizeof argument, &argument);
  }
  void set(cl_uint position, const LocalMemory& local) {
    kernel_.setArg(position, local.bytes, nullptr);
  }

  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // so that it moves
  cl::Kernel kernel_;
  const char* name_;
  std::size_t max_group_ = 1, group_multiple_ = 1;
};

/// Constant data of a kernel, copied to the device once.
cl::Buffer constant_data(Context& context, const void* data, std::size_t bytes);

}  // namespace tandem::opencl
