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

  std::mutex transfer_mutex;  // guards `transfer`; nothing else is locked under it
  cl::CommandQueue transfer;  // for blocking copies of a thread that has no queue of its own

  /// Made once: `building` is held meanwhile, and nothing else is locked under it.
  struct Built {
    std::mutex building;
    cl::Program program;
  };
  std::mutex programs_mutex;              // guards the map; nothing else is locked under it
  std::map<std::string, Built> programs;  // by options and source; none is ever removed
};

struct Context::Native {
  DeviceDescription description;
  bool has_local_memory = false;  // of its own; CPUs and some GPUs take it from global memory
  std::vector<std::unique_ptr<NativeDevice>> devices;
  std::vector<std::string> left_out;

  NativeDevice& at(int device) const { return *devices[static_cast<std::size_t>(device)]; }
};

/// What a call has left to the one behind it, which may compute both in one launch.
class Deferred {
 public:
  virtual ~Deferred() = default;
  virtual void enqueue(Queue& queue) = 0;  ///< throws Error
};

struct Queue::Native {
  const NativeDevice& device;
  cl::CommandQueue queue;
  /// Enqueued before any other command and before flush() and finish(); null: nothing.
  std::unique_ptr<Deferred> deferred;
  std::unique_ptr<Deferred> spare;  ///< one that is done: a steady stream allocates nothing
  cl::Buffer zeroed;                ///< see opencl::zeroed()
  cl::Buffer scratch;               ///< see opencl::scratch()
  std::size_t scratch_bytes = 0;

  explicit Native(const NativeDevice& on) : device(on) {}

  /// See Queue::CopiesBeside.
  struct Beside {
    cl::CommandQueue uploads, downloads;  ///< made when they are first needed
    bool on = false;
    std::vector<cl::Event> uploaded;    ///< the last upload, where nothing waits for it yet
    std::vector<cl::Event> downloaded;  ///< the last download, likewise
    std::vector<cl::Event> computed;  ///< the last kernel, since it is on; else a marker is needed
  };
  Beside beside;
  /// Where the event of a kernel is kept; null: nobody needs it.
  cl::Event* note_kernel();
  void wait_for_uploads();  ///< what is enqueued next does
  cl_int finish_copies();   ///< CL_SUCCESS, or the first error

  /// See Queue::flush_timed: a command on a queue that keeps times, behind a marker on `queue`.
  cl::CommandQueue timing;
  cl::Buffer timing_bytes;
  std::vector<cl::Event> all_done;
  cl::Event timed;
  std::chrono::steady_clock::time_point started;
  uint64_t done_ns = 0;
  void finish_timed();

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
bool fault_is_due(const NativeDevice& device);

/// Enqueues one command. When it throws Error, whatever was enqueued before it is done or lost: the
/// memory that those commands use is the caller's again.
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

/// The same on the queue.
template <typename Call>
void command(Queue& queue, const char* what, Call&& call) {
  try {
    command(queue.native().device, queue.native().queue, what, call);
  } catch (const Error&) {
    queue.native().finish_copies();
    throw;
  }
}

/// Where a copy is enqueued. `done` and `waits` are null where it is among the kernels.
struct CopyPlace {
  cl::CommandQueue& queue;
  cl::Event* done = nullptr;                      ///< to be set to the copy's event
  const std::vector<cl::Event>* waits = nullptr;  ///< of a download
};
CopyPlace place_for_upload(Queue& queue);    ///< throws Error
CopyPlace place_for_download(Queue& queue);  ///< throws Error

/// A program on each of a context's devices.
struct Program {
  std::vector<cl::Program> each;
};

/// Enqueues what was deferred, behind the uploads beside it; to be called before every command on
/// the queue. Throws Error.
void enqueue_deferred(Queue& queue);

/// kZeroedWords of 32 bits on the queue's device, all 0: each kernel that takes them leaves them
/// so. For what work-groups count together, above all how many are done. Throws Error.
cl_mem zeroed(Queue& queue);
inline constexpr std::size_t kZeroedWords = 2056;

/// Memory of at least this size on the queue's device, for what kernels that follow each other hand
/// on: any later call may overwrite it. A larger one replaces it, without its content. Throws
/// Error.
cl_mem scratch(Queue& queue, std::size_t bytes);

/// The program in OpenCL C 1.2, from the memory of the context, the cache on disk or the compiler.
/// `options`: what define() makes, one after the other. Throws Error with the compiler's messages.
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

/// How many pieces of this size cover so much.
inline std::size_t pieces(int size, int piece) {
  return static_cast<std::size_t>((size + piece - 1) / piece);
}
inline std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// A kernel and the limits of its work-groups. Thread-safe: arguments belong to the kernel until it
/// is enqueued, so one thread at a time sets and enqueues, on each device.
class Kernel {
 public:
  Kernel(Context& context, const Program& program, const char* name);

  /// The most work-items of a group, with the registers that this kernel takes on this device.
  std::size_t max_group() const { return max_group_; }
  /// Work-items of a group: at most `wanted` and what this kernel may have on this device, and a
  /// multiple of what runs in step there (warp, wavefront) when that is within these.
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

  // Each sets what it stands for from `position` on, which it moves behind.
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
