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
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/opencl/pace.h"
#include "kernels/opencl/sizes.h"

/// The OpenCL objects behind opencl.h, for the files that enqueue kernels.
namespace tandem::opencl {

/// One of a context's devices.
struct NativeDevice {
  cl::Context context;
  cl::Device device;
  int number = -1;  // in list_devices()

  std::mutex transfer_mutex;  // guards `transfer`; no other lock is taken under it
  cl::CommandQueue transfer;  // for blocking copies of a thread that has no queue of its own

  /// Built once, with `building` held; no other lock is taken under it.
  struct Built {
    std::mutex building;
    cl::Program program;
  };
  std::mutex programs_mutex;              // guards the map; no other lock is taken under it
  std::map<std::string, Built> programs;  // by options and source; none is ever removed
};

struct Context::Native {
  DeviceDescription description;
  bool has_local_memory = false;  // of its own; CPUs and some GPUs take it from global memory
  std::vector<std::unique_ptr<NativeDevice>> devices;
  std::vector<std::string> left_out;

  NativeDevice& at(int device) const { return *devices[static_cast<std::size_t>(device)]; }
};

/// A command that a call has left to the next call, which may compute both in one launch.
class Deferred {
 public:
  virtual ~Deferred() = default;
  virtual void enqueue(Queue& queue) = 0;  ///< throws Error
};

struct Queue::Native {
  const NativeDevice& device;
  cl::CommandQueue queue;
  /// Enqueued before any other command and before flush() and finish(); null: no command.
  std::unique_ptr<Deferred> deferred;
  std::unique_ptr<Deferred> spare;  ///< for reuse, so that a steady stream allocates nothing
  cl::Buffer zeroed;                ///< see opencl::zeroed()
  cl::Buffer scratch;               ///< see opencl::scratch()
  std::size_t scratch_bytes = 0;

  explicit Native(const NativeDevice& on) : device(on) {}

  /// See Queue::CopiesBeside.
  struct Beside {
    cl::CommandQueue uploads, downloads;  ///< created on first use
    bool on = false;
    std::vector<cl::Event> uploaded;    ///< the last upload, if nothing waits for it yet
    std::vector<cl::Event> downloaded;  ///< the last download, likewise
    std::vector<cl::Event> computed;  ///< the last kernel, since it is on; else a marker is needed
  };
  Beside beside;
  /// The place for the event of a kernel; null: the event is not needed.
  cl::Event* note_kernel();
  void wait_for_uploads();  ///< makes the next command wait
  cl_int finish_copies();   ///< CL_SUCCESS, or the first error

  /// See Queue::flush_timed: a command on a queue with profiling, behind a marker on `queue`.
  cl::CommandQueue timing;
  cl::Buffer timing_bytes;
  std::vector<cl::Event> all_done;
  cl::Event timed;
  std::chrono::steady_clock::time_point started;
  uint64_t done_ns = 0;
  void finish_timed();

  /// Called after each kernel; throws Error. See Queue::pace.
  void keep_pace();
  const std::atomic<bool>* stop = nullptr;  ///< null: no pace
  Pace pace;
  std::chrono::steady_clock::time_point piece_began;
};

/// "clFinish: CL_OUT_OF_RESOURCES (-5)".
std::string describe(const cl::Error& error);

/// Makes a description of a device; throws cl::Error.
DeviceDescription describe_device(const cl::Device& device);

/// Calls the runtime and turns its exceptions into Error, "cannot <what>: ...".
template <typename Call>
auto checked(std::string_view what, Call&& call) {
  try {
    return call();
  } catch (const cl::Error& error) {
    throw Error("cannot " + std::string(what) + ": " + describe(error));
  }
}

/// True if fail_after() makes the next command or wait fail.
bool fault_is_due(const NativeDevice& device);

/// Enqueues one command. If it throws Error, all commands enqueued before are done or lost, so that
/// the caller may reuse their memory.
template <typename Call>
void command(const NativeDevice& device, cl::CommandQueue& queue, const char* what, Call&& call) {
  try {
    if (fault_is_due(device)) throw cl::Error(CL_OUT_OF_RESOURCES, "fault injected by a test");
    call();
  } catch (const cl::Error& error) {
    clFinish(queue());
    throw Error(std::string("cannot ") + what + ": " + describe(error));
  }
}

/// Like the function above, on the queue.
template <typename Call>
void command(Queue& queue, const char* what, Call&& call) {
  try {
    command(queue.native().device, queue.native().queue, what, call);
  } catch (const Error&) {
    queue.native().finish_copies();
    throw;
  }
}

/// The queue of a copy. `done` and `waits` are null if it is the queue of the kernels.
struct CopyPlace {
  cl::CommandQueue& queue;
  cl::Event* done = nullptr;                      ///< receives the copy's event
  const std::vector<cl::Event>* waits = nullptr;  ///< events that a download waits for
};
CopyPlace place_for_upload(Queue& queue);    ///< throws Error
CopyPlace place_for_download(Queue& queue);  ///< throws Error

/// A program on each of a context's devices.
struct Program {
  std::vector<cl::Program> each;
};

/// Enqueues deferred commands, behind the uploads beside them. Call it before every command on the
/// queue. Throws Error.
void enqueue_deferred(Queue& queue);

/// kZeroedWords of 32 bits on the queue's device, for counters that work-groups share. All are 0,
/// and each kernel that uses them has to leave them at 0. Throws Error.
cl_mem zeroed(Queue& queue);
inline constexpr std::size_t kZeroedWords = 2056;

/// Memory of at least this size on the queue's device, for data between consecutive kernels. Any
/// later call may overwrite it or replace it by a larger one. Throws Error.
cl_mem scratch(Queue& queue, std::size_t bytes);

/// The program in OpenCL C 1.2, from the context's programs, the cache on disk or the compiler.
/// `options`: results of define(), concatenated. Throws Error with the compiler's messages.
Program build_program(Context& context, const std::string& source, const std::string& options = {});

/// An option of build_program: NAME with a value in the source.
template <typename Value>
std::string define(const char* name, Value value) {
  return std::string(" -D") + name + "=" + std::to_string(value);
}

/// Constants of a kernel, copied to each of a context's devices once.
struct ConstantData {
  std::vector<cl::Buffer> each;
};
ConstantData constant_data(Context& context, const void* data, std::size_t bytes);

/// A kernel argument: this many bytes of local memory for each work-group.
struct LocalMemory {
  std::size_t bytes = 0;
};

/// Kernel arguments whose number and types are known at run time alone.
struct ArgumentList {
  struct Argument {
    std::size_t bytes = 0;
    const void* value = nullptr;  ///< lives until the kernel is enqueued
  };
  std::span<const Argument> all;
};

/// The number of pieces of this size that cover all of it.
inline std::size_t pieces(int size, int piece) {
  return static_cast<std::size_t>((size + piece - 1) / piece);
}
inline std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// A kernel and the limits of its work-groups. Thread-safe: a mutex a device is held while the
/// arguments are set and the kernel is enqueued.
class Kernel {
 public:
  Kernel(Context& context, const Program& program, const char* name);

  /// Most work-items of a group, given the registers that this kernel takes on this device.
  std::size_t max_group() const { return max_group_; }
  /// Work-items of a group: at most `wanted` and max_group(). It is a multiple of the items that
  /// run in step on the device (warp, wavefront), if that many are allowed.
  std::size_t group_size(std::size_t wanted) const;
  std::size_t group_size(BySort wanted) const { return group_size(wanted.on_cpu(is_cpu_)); }

  /// Arguments are scalars of the kernel's types, cl_mem, ConstantData, LocalMemory, a DeviceSpan
  /// (of the kernel: memory and ulong offset) or a DevicePlane (memory, ulong offset and long
  /// stride); throws Error. `global` and `local` are numbers, or ranges of more dimensions.
  template <typename... Arguments>
  void enqueue(Queue& queue, const cl::NDRange& global, const cl::NDRange& local,
               const Arguments&... arguments) {
    enqueue_deferred(queue);
    cl::CommandQueue& commands = queue.native().queue;
    OnDevice& here = *devices_[static_cast<std::size_t>(queue.device())];
    command(queue, name_.c_str(), [&] {
      const std::lock_guard lock(here.mutex);
      cl_uint position = 0;
      (set(here.kernel, queue, position, arguments), ...);
      commands.enqueueNDRangeKernel(here.kernel, cl::NullRange, global, local, nullptr,
                                    queue.native().note_kernel());
    });
    if (queue.native().stop) queue.native().keep_pace();
  }

 private:
  struct OnDevice {
    std::mutex mutex;
    cl::Kernel kernel;
  };

  // Each sets the kernel's arguments from `position` on, and advances it.
  template <typename Argument>
  static void set(cl::Kernel& kernel, const Queue&, cl_uint& position, const Argument& argument) {
    kernel.setArg(position++, sizeof argument, &argument);
  }
  static void set(cl::Kernel& kernel, const Queue&, cl_uint& position, const LocalMemory& local) {
    kernel.setArg(position++, local.bytes, nullptr);
  }
  static void set(cl::Kernel& kernel, const Queue& queue, cl_uint& position,
                  const ConstantData& data) {
    set(kernel, queue, position, data.each[static_cast<std::size_t>(queue.device())]());
  }
  static void set(cl::Kernel& kernel, const Queue& queue, cl_uint& position,
                  const DeviceSpan& span) {
    set(kernel, queue, position, span.mem);
    set(kernel, queue, position, static_cast<cl_ulong>(span.offset));
  }
  static void set(cl::Kernel& kernel, const Queue& queue, cl_uint& position,
                  const DevicePlane& plane) {
    set(kernel, queue, position, DeviceSpan{plane.mem, plane.offset});
    set(kernel, queue, position, static_cast<cl_long>(plane.stride));
  }

  static void set(cl::Kernel& kernel, const Queue&, cl_uint& position, const ArgumentList& list) {
    for (const ArgumentList::Argument& argument : list.all)
      kernel.setArg(position++, argument.bytes, argument.value);
  }

  std::vector<std::unique_ptr<OnDevice>> devices_;
  const std::string name_;
  bool is_cpu_;
  std::size_t max_group_ = 1, group_multiple_ = 1;
};

}  // namespace tandem::opencl
