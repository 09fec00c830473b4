// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/opencl/work_group_sizes.h"

/// Programs and kernels without a CL type, for the files that enqueue kernels. A build without
/// OpenCL links stubs.cpp, in which their constructors throw.
namespace tandem::opencl {

/// A program on each of a context's devices.
struct Program {
  struct Native;  ///< kernels/opencl/native.h
  std::shared_ptr<const Native> native;
};

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
  std::vector<std::shared_ptr<void>> each;  ///< cl_mem
};
ConstantData constant_data(Context& context, const void* data, std::size_t bytes);

/// kZeroedWords of 32 bits on the queue's device, for counters that work-groups share. All are 0,
/// and each kernel that uses them has to leave them at 0. Returns a cl_mem. Throws Error.
void* zeroed(Queue& queue);
inline constexpr std::size_t kZeroedWords = 2056;

/// Memory of at least this size on the queue's device, for data between consecutive kernels. Any
/// later call may overwrite it or replace it by a larger one. Returns a cl_mem. Throws Error.
void* scratch(Queue& queue, std::size_t bytes);

/// A command that a call has left to the next call, which may compute both in one launch.
class Deferred {
 public:
  virtual ~Deferred() = default;
  virtual void enqueue(Queue& queue) = 0;  ///< throws Error
};
struct DeferredCommands {
  /// Enqueued before any other command and before flush() and finish(); null: no command.
  std::unique_ptr<Deferred> next;
  std::unique_ptr<Deferred> spare;  ///< for reuse, so that a steady stream allocates nothing
};
DeferredCommands& deferred_commands(Queue& queue);

/// Enqueues deferred commands, behind the uploads beside them. Call it before every command on the
/// queue. Throws Error.
void enqueue_deferred(Queue& queue);

/// The number of pieces of this size that cover all of it.
inline std::size_t pieces(int size, int piece) {
  return static_cast<std::size_t>((size + piece - 1) / piece);
}
inline std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// Work-items in one or two dimensions.
struct WorkSize {
  WorkSize(std::size_t x) : sizes{x, 1}, dimensions(1) {}
  WorkSize(std::size_t x, std::size_t y) : sizes{x, y}, dimensions(2) {}
  std::size_t sizes[2];
  unsigned dimensions;
};

/// A kernel argument: this many bytes of local memory for each work-group.
struct LocalMemory {
  std::size_t bytes = 0;
};

/// Sets the arguments of a kernel in their order.
class KernelArguments {
 public:
  KernelArguments(void* kernel, int device) : kernel_(kernel), device_(device) {}

  /// A scalar of the kernel's type, a cl_mem, or what has `add_to(KernelArguments&)`.
  template <typename Argument>
  void add(const Argument& argument) {
    if constexpr (requires { argument.add_to(*this); }) {
      argument.add_to(*this);
    } else {
      set(sizeof argument, &argument);
    }
  }
  void add(const LocalMemory& local) { set(local.bytes, nullptr); }
  void add(const ConstantData& data) { add(data.each[static_cast<std::size_t>(device_)].get()); }
  void add(const DeviceSpan& span) {
    add(span.mem);
    add(uint64_t{span.offset});
  }
  void add(const DevicePlane& plane) {
    add(DeviceSpan{plane.mem, plane.offset});
    add(int64_t{plane.stride});
  }

 private:
  void set(std::size_t bytes, const void* value);

  void* const kernel_;  // cl_kernel
  const int device_;    // in its context
  unsigned position_ = 0;
};

/// A kernel and the limits of its work-groups. Thread-safe: a mutex a device is held while the
/// arguments are set and the kernel is enqueued.
class Kernel {
 public:
  Kernel(Context& context, const Program& program, const std::string& name);

  /// Most work-items of a group, given the registers that this kernel takes on this device.
  std::size_t max_group() const { return max_group_; }
  /// Work-items of a group: at most `wanted` and max_group(). It is a multiple of the items that
  /// run in step on the device (warp, wavefront), if that many are allowed.
  std::size_t group_size(std::size_t wanted) const;
  std::size_t group_size(CpuOrGpu wanted) const { return group_size(wanted.on_cpu(is_cpu_)); }

  /// Arguments are those of KernelArguments, where a DeviceSpan is two of the kernel's (memory and
  /// ulong offset) and a DevicePlane three (memory, ulong offset and long stride). Throws Error.
  template <typename... Arguments>
  void enqueue(Queue& queue, const WorkSize& global, const WorkSize& local,
               const Arguments&... arguments) const {
    const auto set = [&](KernelArguments& to) { (to.add(arguments), ...); };
    enqueue_with(queue, global, local, std::ref(set));
  }

  struct OnDevice;  ///< kernels/opencl/native.h
  OnDevice& on(int device) const { return *devices_[static_cast<std::size_t>(device)]; }

 private:
  void enqueue_with(Queue& queue, const WorkSize& global, const WorkSize& local,
                    const std::function<void(KernelArguments&)>& set) const;

  std::vector<std::shared_ptr<OnDevice>> devices_;
  std::string name_;
  bool is_cpu_;
  std::size_t max_group_ = 1, group_multiple_ = 1;
};

}  // namespace tandem::opencl
